/** Measures what each optimization of the runtime saves that is more complicated than the documented way of its library. */
import { optimizationNames, withoutOptimizations } from '@quittance/runtime/internal/process/optimizations'
import type { Contender } from '../contender.ts'
import { startEngines } from '../engines.ts'
import type { Scenario } from '../scenario.ts'
import { makeOrders } from '../system/orders.ts'
import { startQuittance, type Quittance } from '../system/quittance.ts'
import { createCustomerRequest } from './create-customer.ts'
import { createContender } from './measure.ts'
import { compareContenders } from './side-by-side.ts'

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
    const limits = Object.fromEntries(optimizationNames.map((name) => [`without ${name}`, maxRatio]))
    const title = 'optimizations: GET /v1/orders/{id}'
    const reads = await compareContenders(stage, { contenders, title, connections: 64, limits })
    const writing = contenders.map((contender) => ({ ...contender, ...createCustomerRequest }))
    const writes = await compareContenders(stage, {
      contenders: writing,
      title: 'optimizations: POST /v1/customers/',
      connections: 32,
      limits: {},
    })
    return { scenario: 'optimizations', text: `${reads.text}\n\n${writes.text}`, figures: { reads, writes } }
  },
}

async function describeSystem(name: string, quittance: Quittance): Promise<Contender> {
  const paths = (await makeOrders(quittance)).map((id) => `/v1/orders/${id}`)
  return { ...createContender(quittance, paths), name }
}
