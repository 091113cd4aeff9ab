import { randomUUID } from 'node:crypto'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { claimStatement } from '../src/invoices/claim-invoice.ts'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices, type TestInvoices } from './start-invoices.ts'

/** One organization's invoices, each of which takes a third of a second or more to render. */
function heavySources(count: number): InvoiceSource[] {
  const organization = { ...anInvoiceSource().organization, id: randomUUID() }
  const [line] = anInvoiceSource().items
  const items = Array.from({ length: 1_000 }, (_, index) => ({ ...line, label: `Line ${index + 1}`, amount: 100 }))
  return Array.from({ length: count }, () => ({ ...anInvoiceSource(), organization, items })) as InvoiceSource[]
}

async function count(invoices: TestInvoices, condition: string, values: unknown[] = []): Promise<number> {
  return (await invoices.rows(`select from invoices where ${condition}`, values)).length
}

test('finishes the document of another organization before most of a long backlog', async () => {
  await using invoices = await startInvoices()
  const backlog = heavySources(36)
  for (const source of backlog) await invoices.requestInvoice(source)
  const other = anInvoiceSource()
  await invoices.requestInvoice(other)
  await invoices.waitForStatus(other, 'generated')
  // Some are rendered while the others are still being issued.
  const waited = `order_id <> $1 and (generated_at is null or generated_at > (select requested_at from invoices where order_id = $1))`
  const before = `generated_at < (select generated_at from invoices where order_id = $1)`
  const left = await count(invoices, waited, [other.order_id])
  expect(left).toBeGreaterThan(10)
  expect(await count(invoices, `${waited} and ${before}`, [other.order_id])).toBeLessThan(left / 2)
})

test('renders at most four documents of one organization at the same time, and all of them in the end', async () => {
  await using invoices = await startInvoices()
  const backlog = heavySources(10)
  for (const source of backlog) await invoices.requestInvoice(source)
  const inProgress: number[] = []
  await eventually(async () => {
    inProgress.push(await count(invoices, `status = 'requested' and leased_until > now()`))
    expect(await count(invoices, `status = 'generated'`)).toBe(backlog.length)
  })
  expect(Math.max(...inProgress)).toBe(4)
})

/** Explains a claim that passes over an organization with 10,000 due documents. Rolls back, so that no job claims one. */
const measureClaim = (claim: string) => `
  create function blocks_of_claim(backlog uuid) returns text language plpgsql as $test$ declare plan json; begin
    begin
      alter table invoices disable trigger user;
      insert into document_series select id, 'invoice', 'A-', 4, 1 from unnest(array[backlog, gen_random_uuid()]) id;
      insert into invoices (id, created_at, organization_id, order_id, series, position, number, status, source, requested_at, next_attempt_at)
        select gen_random_uuid(), now(), s.organization_id, gen_random_uuid(), 'A-', n, 'A-' || n, 'requested', '{}', now(), now() - interval '1 hour'
        from document_series s, generate_series(1, case s.organization_id when backlog then 10000 else 1 end) n;
      analyze invoices;
      execute $claim$ explain (analyze, buffers, format json) ${claim} $claim$ into plan;
      raise exception '% rows, % blocks', plan #> '{0,Plan,Actual Rows}', plan #> '{0,Plan,Shared Hit Blocks}';
    exception when raise_exception then return sqlerrm; end; end $test$`

test('claims a document without reading the backlog of another organization', async () => {
  await using invoices = await startInvoices()
  const backlog = randomUUID()
  const passedOver = `'{${backlog}}'`
  const values: Record<string, string> = { ':lease': '1000', ':last_served': `'${backlog}'`, ':busy': passedOver, ':full': passedOver }
  await invoices.rows(measureClaim(claimStatement.replaceAll(/:(lease|last_served|busy|full)/g, (name) => values[name] as string)))
  const [{ cost } = { cost: '' }] = await invoices.rows<{ cost: string }>('select blocks_of_claim($1) as cost', [backlog])
  expect(cost).toMatch(/^1\.?0* rows/)
  expect(Number(/(\d+) blocks/.exec(cost)?.[1])).toBeLessThan(100)
})
