/** `npm run bench`: measures the system, and its peers beside it if requested. */
import { writeFileSync } from 'node:fs'
import { UsageError } from '@quittance/tools/cli/command'
import { handleStopSignals } from '@quittance/tools/supervisor/stop-signals'
import { startEngines } from './engines.ts'
import { formatHelp, parseOptions, type BenchOptions } from './options.ts'
import { describeOrigin, record } from './record.ts'
import type { Findings } from './scenario.ts'
import { scenarioNames, scenarios, type ScenarioName } from './scenarios.ts'
import { startQuittance } from './system/quittance.ts'

const startedAt = performance.now()
let isStopping = false
const log = (line: string) => console.log(`[${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s] ${line}`)

/** Runs each scenario with separate engines and a separate system, so that none finds data of another. */
async function runScenarios(options: BenchOptions<ScenarioName>, stack: AsyncDisposableStack): Promise<Findings[]> {
  const findings: Findings[] = []
  for (const name of options.scenarios) {
    log(`${name}: starting PostgreSQL, NATS and Quittance`)
    const engines = stack.use(await startEngines())
    const quittance = stack.use(await startQuittance(engines))
    findings.push(await scenarios[name].run({ engines, quittance, options, log }))
    // Stopping twice does nothing: the stack is for interrupted runs.
    await quittance[Symbol.asyncDispose]()
    await engines[Symbol.asyncDispose]()
  }
  return findings
}

async function main(options: BenchOptions<ScenarioName>, args: readonly string[]): Promise<void> {
  if (process.platform !== 'linux') throw new UsageError('The benchmark reads /proc: it runs on Linux only.')
  const origin = describeOrigin()
  await using stack = new AsyncDisposableStack()
  handleStopSignals(async () => {
    isStopping = true
    await stack.disposeAsync()
    return 130
  })
  const findings = await runScenarios(options, stack)
  for (const { text } of findings) console.log(`\n${text}`)
  if (options.jsonFile) writeFileSync(options.jsonFile, `${JSON.stringify({ ...origin, findings }, null, 2)}\n`)
  if (options.isRecorded) record(findings, { command: ['npm run bench --', ...args].join(' '), ...origin })
}

const args = process.argv.slice(2)
try {
  const options = parseOptions(args, scenarioNames)
  await (options ? main(options, args) : console.log(formatHelp(scenarios)))
  process.exit(0)
} catch (error) {
  // A stop makes requests fail, and ends the process when everything has stopped.
  if (!isStopping) {
    const isUsage = error instanceof UsageError
    console.error(isUsage ? `${error.message}\nAdd --help to see the options.` : `\nThe benchmark failed: ${(error as Error).message}`)
    process.exit(isUsage ? 2 : 1)
  }
}
