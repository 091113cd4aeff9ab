import { verifyChains, type SqlExecutor, type ChainHead } from '@quittance/invoices/permanence/verify-chains'
import { statement, bindValues } from '@quittance/sql/statement'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { z } from 'zod'
import { parseId, readArguments } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'
import { reachableDatabases } from './failed-invoices.ts'

export const invoicesVerify: Command = {
  name: 'invoices verify',
  summary: 'Verify the hash chains of invoices and credit notes, and list what was changed or removed.',
  help: `Usage: npm run quittance -- invoices verify [options]

  --organization ID    one organization; otherwise all
  --heads FILE         output of an earlier run: each of its heads must still be a link of its chain
  --data DIR           folder of the running instance (default .quittance)

Reads the database of invoices (DATABASE_URL_INVOICES, or the running instance's). Prints one JSON line for each fault and for the last link of each
chain, its head; exits with 1 when there is a fault. Store the heads elsewhere: only they reveal that a whole chain was rewritten.

Example: npm run --silent quittance -- invoices verify --heads last-month.jsonl > this-month.jsonl`,
  async run(args) {
    const text = { type: 'string' } as const
    const { organization, heads, data } = readArguments(args, { organization: text, heads: text, data: text })
    const organizationId = organization === undefined ? null : parseId('--organization', organization)
    const { invoices: url } = reachableDatabases({ data })
    if (!url) throw new UsageError('Set DATABASE_URL_INVOICES: no instance runs here.')
    const earlier = heads === undefined ? [] : readHeads(heads)
    let [faults, chains] = [0, 0]
    const print = (line: object) => console.log(JSON.stringify(line))
    const fault = (found: object) => {
      faults += 1
      print({ type: 'fault', ...found })
    }
    await withDatabase(url, async (ask) => {
      const head = (found: object) => {
        chains += 1
        print({ type: 'head', ...found })
      }
      await verifyChains(ask, { organizationId, report: { fault, head } })
      for (const lost of await lostHeads(ask, earlier)) fault(lost)
    })
    // Of an organization that is mistyped, nothing was verified.
    const isUnknown = organizationId !== null && chains === 0
    if (isUnknown) console.error(`The organization ${organizationId} has no documents.`)
    if (faults > 0 || isUnknown) process.exitCode = 1
  },
}

async function withDatabase(url: string, work: (ask: SqlExecutor) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'quittance verify' })
  await client.connect()
  try {
    // One snapshot for the whole verification: an invoice issued in the meantime is not reported as a fault.
    await client.query('begin isolation level repeatable read read only')
    await work(async (name, sql, values) => {
      const query = statement(name, sql)
      return (await client.query({ name, text: query.text, values: bindValues(query, values) })).rows as never
    })
  } finally {
    await client.end()
  }
}

function readHeads(file: string): ChainHead[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const heads = lines.map((line) => parseLine(file, line)).flatMap((found) => (found.type === 'head' ? [found] : []))
  // It would verify nothing, as the output of a run that has failed.
  if (heads.length === 0) throw new UsageError(`--heads: ${file} has no heads.`)
  return heads
}

const chainHead = z.object({
  type: z.literal('head'),
  organization_id: z.guid(),
  series: z.string(),
  chain: z.enum(['issued', 'stored']),
  links: z.int(),
  number: z.string().nullable(),
  digest: z.string(),
})
const printedLine = z.discriminatedUnion('type', [chainHead, z.object({ type: z.literal('fault') })])

function parseLine(file: string, line: string): z.infer<typeof printedLine> {
  try {
    return printedLine.parse(JSON.parse(line))
  } catch {
    // npm prints lines of another kind unless it runs with --silent.
    throw new UsageError(`--heads: ${file} is not the output of an earlier run with npm run --silent: ${line.slice(0, 80)}`)
  }
}

const findHead = `select from document_links where organization_id = :organization and series = :series and chain = :chain and digest = :digest`

async function lostHeads(ask: SqlExecutor, earlier: readonly ChainHead[]): Promise<object[]> {
  const lost: object[] = []
  for (const { organization_id, series, chain, number, links, digest } of earlier) {
    if (links === 0) continue
    if ((await ask('chain.head', findHead, { organization: organization_id, series, chain, digest })).length > 0) continue
    const detail = `The chain ended with ${digest} at an earlier verification, and has no such link now: it was rewritten.`
    lost.push({ organization_id, series, chain, number, fault: 'changed link', detail })
  }
  return lost
}
