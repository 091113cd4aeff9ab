/**
 * A replica of orders in a separate process. Its provider never replies to one kind of call, before or after executing it, and then records
 * the id of the row in a file. Arguments: the file, the call, and `before` or `after`.
 */
import { appendFileSync } from 'node:fs'
import { runService } from '@quittance/runtime/service'
import { orders } from '../src/service.ts'
import { hang, useTestProcessor, type Call } from './slow-processor.ts'

const [file, call, moment] = process.argv.slice(2) as [string, Call, 'before' | 'after']
const processor = useTestProcessor()
const stop = (id: string) => {
  appendFileSync(file, `${id}\n`)
  return hang()
}
if (moment === 'before') processor.instead[call] = stop
else processor.before[call] = stop
await runService(orders)
process.send?.('started')
