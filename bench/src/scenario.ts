import type { Engines } from './engines.ts'
import type { BenchOptions } from './options.ts'
import type { Quittance } from './system/quittance.ts'

/** The result of a scenario, for readers and for programs. */
export interface Findings {
  scenario: string
  /** The table and its assessment, as printed and recorded. */
  text: string
  figures: unknown
}

export interface Stage {
  engines: Engines
  quittance: Quittance
  options: BenchOptions
  log(line: string): void
}

export interface Scenario {
  /** One sentence for `--help`. */
  summary: string
  run(stage: Stage): Promise<Findings>
}
