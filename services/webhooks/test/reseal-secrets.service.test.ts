import { randomBytes } from 'node:crypto'
import { orderPaid } from '@quittance/contracts/orders'
import { rotateWebhookSecret } from '@quittance/contracts/webhooks'
import { openSecret } from '@quittance/runtime/encryption'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startWebhooks, type TestWebhooks } from './start-webhooks.ts'

const oldKey = Buffer.alloc(32, 7)
const newKey = randomBytes(32)
const encode = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join()

async function restartWith(webhooks: TestWebhooks, keys: string) {
  process.env['SECRETS_KEY'] = keys
  await webhooks.restart()
}

async function readCounts(webhooks: TestWebhooks): Promise<number[]> {
  const text = await (await fetch(`http://127.0.0.1:${webhooks.healthPort()}/metrics`)).text()
  const columns = ['sealed_secret', 'sealed_previous']
  return columns.map((column) =>
    Number(new RegExp(`^secrets_under_old_keys{.*column="webhook_endpoints.${column}".*} (\\d+)`, 'm').exec(text)?.[1]),
  )
}

interface Row {
  id: string
  sealed_secret: string
  sealed_previous: { sealed: string }[]
}
const readRows = (webhooks: TestWebhooks) =>
  webhooks.rows<Row>('select id, sealed_secret, sealed_previous from webhook_endpoints order by id')

test('after a change of SECRETS_KEY the new key alone opens all secrets, and the gauge counts none', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { id } = await webhooks.endpoint({ url: sink.url })
  await webhooks.call(rotateWebhookSecret, { id, expire_previous_in: 3_600 }, webhooks.caller)
  await eventually(async () => expect(await readCounts(webhooks)).toEqual([0, 0]))
  const secrets = (row: Row | undefined) => [row?.sealed_secret ?? '', ...(row?.sealed_previous ?? []).map(({ sealed }) => sealed)]
  const open = (row: Row | undefined, key: Buffer) =>
    secrets(row).map((sealed) => openSecret(sealed, { keys: [key], context: webhooks.organizationId }))
  const before = open((await readRows(webhooks))[0], oldKey)
  expect(before).toHaveLength(2)
  await restartWith(webhooks, encode(newKey, oldKey))
  await eventually(async () => expect(open((await readRows(webhooks))[0], newKey)).toEqual(before))
  await eventually(async () => expect(await readCounts(webhooks)).toEqual([0, 0]))
  await restartWith(webhooks, encode(newKey))
  await webhooks.publishEvents([orderPaid])
  expect(await webhooks.attempts({ id }, 1)).toMatchObject([{ http_code: 200 }])
  expect(sink.received[0]?.headers['webhook-signature']?.toString().split(' ').length).toBeGreaterThan(1)
})
