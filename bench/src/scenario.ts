import type { Engines } from './engines.ts'
import type { BenchOptions } from './options.ts'
import type { Quittance } from './system/quittance.ts'

/** What a scenario has found out, for people and for machines. */
export interface Findings {
  scenario: string
  /** The table and its verdict, as they are printed and recorded. */
  text: string
  figures: unknown
}

export interface Stage {
  engines: Engines
  quittance: Quittance
  options: BenchOptions
  say(line: string): void
}

export interface Scenario {
  /** One sentence for `--help`. */
  summary: string
  run(stage: Stage): Promise<Findings>
}
