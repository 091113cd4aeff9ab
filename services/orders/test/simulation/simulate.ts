/**
 * Runs simulated histories of customers over the functions that decide about payments. Options: `--years N` (200000), `--run N` (drawn),
 * `--workers N` (one per core), `--customer N --trace` to replay one customer of a run.
 */
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { runSimulation, yearsPerCustomer, type SimulationOptions, type SimulationResult } from './run-simulation.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** Runs parts of one run in threads. */
function runPart(options: SimulationOptions): Promise<SimulationResult> {
  const { promise, resolve, reject } = Promise.withResolvers<SimulationResult>()
  new Worker(new URL(import.meta.url), { workerData: options }).once('message', resolve).once('error', reject)
  return promise
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      years: { type: 'string', default: '200000' },
      run: { type: 'string' },
      customer: { type: 'string' },
      trace: { type: 'boolean', default: false },
      workers: { type: 'string', default: String(availableParallelism()) },
    },
  })
  const [years, run] = [Number(values.years), Number(values.run ?? randomInt(2 ** 31))]
  const startedAt = Date.now()
  const customer = values.customer === undefined ? undefined : Number(values.customer)
  const stride = customer === undefined ? Number(values.workers) : 1
  const parts =
    stride === 1
      ? [runSimulation({ run, years, customer, trace: values.trace ? print : undefined })]
      : await Promise.all(Array.from({ length: stride }, (_, first) => runPart({ run, years, part: { first, stride } })))
  const sum = (read: (part: SimulationResult) => number) => parts.reduce((total, part) => total + read(part), 0)
  const faults: Record<string, number> = {}
  for (const part of parts) for (const [fault, count] of Object.entries(part.faults)) faults[fault] = (faults[fault] ?? 0) + count
  const violations = parts.flatMap(({ violation }) => violation ?? [])
  const customers = sum((part) => part.customers)
  print(
    `Run ${run}: ${customers} customers, ${customers * yearsPerCustomer} years, ${sum((part) => part.trials)} trials, ` +
      `${sum((part) => part.renewals)} renewals, ${sum((part) => part.payments)} payments, ${sum((part) => part.refunds)} refunds in ${Math.round((Date.now() - startedAt) / 1_000)} s`,
  )
  print(`Faults: ${JSON.stringify(faults)}`)
  for (const { customer: number, message } of violations)
    print(`Violation: ${message}. Replay: npm run simulate -- --run ${run} --customer ${number} --trace`)
  print(`${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
}

if (isMainThread) await main()
else parentPort?.postMessage(runSimulation(workerData as SimulationOptions), [])
