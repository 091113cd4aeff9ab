/** Measures what each optimization of the runtime saves that is more complicated than the documented way of its library. */
import { optimizationNames, withoutOptimizations } from '@quittance/runtime/internal/process/optimizations'
import type { Contender } from '../contender.ts'
import { startEngines } from '../engines.ts'
import { startLoader } from '../load.ts'
import type { Findings, Scenario, Stage } from '../scenario.ts'
import { makeOrders } from '../system/orders.ts'
import { startQuittance, type Quittance } from '../system/quittance.ts'
import { comparison } from './comparison.ts'
import { createCustomerRequest } from './create-customer.ts'
import { interleaved } from './interleaved.ts'
import { analyze, createContender, measure, measureIdle, warmUp } from './measure.ts'

/** An optimization that saves less of a read is removed. */
const maxRatio = 0.9

export const optimizations: Scenario = {
  summary: 'CPU of a read and a write, compared with the same build without one optimization',
  async run(stage) {
    await using stack = new AsyncDisposableStack()
    const contenders = [await describeSystem('quittance', stage.quittance)]
    for (const name of optimizationNames) {
      const engines = stack.use(await startEngines())
      const quittance = stack.use(await startQuittance(engines, { [withoutOptimizations]: name }))
      contenders.push({ ...(await describeSystem(`without ${name}`, quittance)), engines })
    }
    const reads = await compare(stage, { contenders, title: 'GET /v1/orders/{id}', connections: 64, limit: maxRatio })
    const writing = contenders.map((contender) => ({ ...contender, ...createCustomerRequest }))
    const writes = await compare(stage, { contenders: writing, title: 'POST /v1/customers/', connections: 32 })
    return { scenario: 'optimizations', text: `${reads.text}\n\n${writes.text}`, figures: { reads, writes } }
  },
}

async function describeSystem(name: string, quittance: Quittance): Promise<Contender> {
  const paths = (await makeOrders(quittance)).map((id) => `/v1/orders/${id}`)
  return { ...createContender(quittance, paths), name }
}

interface Work {
  contenders: readonly Contender[]
  title: string
  connections: number
  limit?: number
}

async function compare(stage: Stage, { contenders, title, connections, limit }: Work): Promise<Omit<Findings, 'scenario'>> {
  const { engines, options, log } = stage
  using loader = startLoader()
  const measuring = { loader, stage, connections }
  const idle = await measureIdle(contenders, engines)
  const windows = await interleaved(contenders, {
    options,
    log,
    warmUp: (contender, seconds) => warmUp(contender, { ...measuring, seconds }),
    afterWarmUp: () => analyze(contenders, engines),
    measure: (contender) => measure(contender, measuring),
  })
  const limits = limit === undefined ? {} : Object.fromEntries(optimizationNames.map((name) => [`without ${name}`, limit]))
  const described = `optimizations: ${title}, ${connections} in flight; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
  return comparison({ title: described, windows, idle, limits })
}
