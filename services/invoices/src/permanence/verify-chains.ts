import { issuedContentDigest } from './content-digest.ts'
import { genesisDigest, linkDigest, type Chain, type LinkContent } from './link-text.ts'

/** Executes a named statement with `:name` parameters. */
export type SqlExecutor = <Row>(name: string, sql: string, values: Record<string, unknown>) => Promise<Row[]>

/** A fault in the documents of a series. */
export interface ChainFault {
  organization_id: string
  series: string
  chain: Chain
  /** Number of the affected document; for a missing link, of the document after the gap or of the last one before it. */
  number: string
  fault: 'missing link' | 'changed link' | 'missing document' | 'changed number' | 'changed contents' | 'changed bytes' | 'not linked'
  detail: string
}

/** State of a chain. The digest of its last link covers all previous links. */
export interface ChainHead {
  organization_id: string
  series: string
  chain: Chain
  links: number
  number: string | null
  digest: string
}

interface Linked extends LinkContent {
  digest: string
  /** Current state of the row that the link refers to; null if there is none. */
  now_number: string | null
  now_position: string | null
  now_series: string | null
  now_content: string | null
  now_sha256: string | null
}

const batchSize = 200

const findSeries = `
  select organization_id, prefix as series, last_number::text as last_number from document_series
  where :organization::uuid is null or organization_id = :organization
  union
  select distinct organization_id, series, '0' from document_links l
  where (:organization::uuid is null or organization_id = :organization)
    and not exists (select from document_series s where s.organization_id = l.organization_id and s.prefix = l.series)
  order by 1, 2`

const link = `l.chain, l.organization_id::text, l.series, l.position::text, l.number, l.invoice_id::text, l.content, l.previous, l.digest`

const findLinks: Record<Chain, string> = {
  issued: `select ${link}, i.number as now_number, i.position::text as now_position, i.series as now_series,
      case when i.id is not null then ${issuedContentDigest('i')} end as now_content, null as now_sha256
    from document_links l left join invoices i on i.id = l.invoice_id
    where l.organization_id = :organization and l.organization_id = any (:scope_organizations::uuid[]) and l.series = :series
      and l.chain = 'issued' and l.position > :after::bigint
    order by l.position limit ${batchSize}`,
  stored: `select ${link}, i.number as now_number, l.position::text as now_position, i.series as now_series,
      pg_catalog.encode(pg_catalog.sha256(d.content), 'hex') as now_content, d.sha256 as now_sha256
    from document_links l left join invoices i on i.id = l.invoice_id left join invoice_documents d on d.invoice_id = l.invoice_id
    where l.organization_id = :organization and l.organization_id = any (:scope_organizations::uuid[]) and l.series = :series
      and l.chain = 'stored' and l.position > :after::bigint
    order by l.position limit ${batchSize}`,
}

const findUnlinked = `
  select i.organization_id::text, i.series, i.number, :chain::text as chain from invoices i
  where i.organization_id = :organization and i.organization_id = any (:scope_organizations::uuid[]) and i.series = :series
    and (:chain = 'issued' or i.status = 'generated' or exists (select from invoice_documents d where d.invoice_id = i.id))
    and not exists (select from document_links l where l.invoice_id = i.id and l.chain = :chain)
  order by i.position limit 100`

/** Position within a chain. */
export interface ChainPosition {
  position: string
  digest: string
  number: string | null
}

export const chainStart: ChainPosition = { position: '0', digest: genesisDigest, number: null }

/** A series and its last allocated number. */
export interface Series {
  organization_id: string
  series: string
  last_number: string
}

/** Result of verifying one segment of a chain. */
export interface ChainSegment {
  faults: ChainFault[]
  links: number
  place: ChainPosition
  isEnd: boolean
}

/**
 * Verifies at most 200 links of one chain, starting at a position that an earlier segment returned. At the end of the chain it looks for
 * documents without a link.
 */
export async function verifySegment(
  execute: SqlExecutor,
  { chain, from, ...series }: Series & { chain: Chain; from: ChainPosition },
): Promise<ChainSegment> {
  const { organization_id, series: name } = series
  // A reader in the scope of a caller binds that scope instead.
  const values = { organization: organization_id, series: name, scope_organizations: [organization_id] }
  const batch = await execute<Linked>(`chain.${chain}`, findLinks[chain], { ...values, after: from.position })
  const faults: ChainFault[] = []
  let place = from
  for (const each of batch) {
    for (const found of findLinkFaults(each, place)) faults.push({ ...toNamedFault(each), ...found })
    place = { position: each.position, digest: each.digest, number: each.number }
  }
  const isEnd = batch.length < batchSize
  if (isEnd && chain === 'issued' && BigInt(series.last_number) > BigInt(place.position)) {
    const detail = `The last allocated number of the series is ${series.last_number}; after ${place.number ?? 'its beginning'} there is no document and no link.`
    faults.push({ organization_id, series: name, chain, number: place.number ?? name, fault: 'missing link', detail })
  }
  if (isEnd) {
    const unlinked = await execute<Named>('chain.unlinked', findUnlinked, { ...values, chain })
    const detail = 'The document has no link in the chain: the link was removed.'
    faults.push(...unlinked.map((row): ChainFault => ({ ...toNamedFault(row), fault: 'not linked', detail })))
  }
  return { faults, links: batch.length, place, isEnd }
}

/** Receives the results during verification. */
export interface ChainReport {
  fault(found: ChainFault): void
  head(head: ChainHead): void
}

/**
 * Verifies the chains of every series, or of those of one organization: compares each link with the previous link, with the row it refers
 * to, and with the bytes of the document. Link digests are computed here and content digests by PostgreSQL, so no document is transferred;
 * memory holds one batch of links. An attacker who rewrites all later links is detected only by a head that was recorded before.
 */
export async function verifyChains(
  execute: SqlExecutor,
  { organizationId, report }: { organizationId: string | null; report: ChainReport },
): Promise<void> {
  for (const series of await execute<Series>('chain.series', findSeries, { organization: organizationId })) {
    for (const chain of ['issued', 'stored'] as const) await verifyChain(execute, { ...series, chain }, report)
  }
}

async function verifyChain(execute: SqlExecutor, series: Series & { chain: Chain }, report: ChainReport): Promise<void> {
  let [place, links, isEnd] = [chainStart, 0, false]
  while (!isEnd) {
    const segment = await verifySegment(execute, { ...series, from: place })
    for (const fault of segment.faults) report.fault(fault)
    ;({ place, isEnd } = segment)
    links += segment.links
  }
  const { organization_id, series: name, chain } = series
  report.head({ organization_id, series: name, chain, links, number: place.number, digest: place.digest })
}

type Named = Pick<ChainFault, 'organization_id' | 'series' | 'chain' | 'number'>
type Found = Pick<ChainFault, 'fault' | 'detail'>

function findLinkFaults(each: Linked, before: ChainPosition): Found[] {
  const found: Found[] = []
  if (each.previous !== before.digest) {
    const detail = `The previous link is missing: a link between ${before.number ?? 'the beginning'} and ${each.number} was removed or changed.`
    found.push({ fault: 'missing link', detail })
  }
  if (linkDigest(each) !== each.digest)
    found.push({ fault: 'changed link', detail: 'The link was changed: its digest does not match its contents.' })
  return [...found, ...findRowFaults(each)]
}

function findRowFaults({ chain, number, position, series, content, ...now }: Linked): Found[] {
  const isMissing = now.now_number === null || now.now_content === null
  if (isMissing) {
    const detail = now.now_number === null ? 'The row of the document is missing.' : 'The bytes of the document are missing.'
    return [{ fault: 'missing document', detail }]
  }
  const found: Found[] = []
  if (now.now_number !== number || now.now_position !== position || now.now_series !== series)
    found.push({ fault: 'changed number', detail: `It was ${chain} as ${number}; its number is now ${now.now_number}.` })
  if (chain === 'issued' && now.now_content !== content && now.now_number === number)
    found.push({ fault: 'changed contents', detail: `Its contents have the digest ${now.now_content}; it was issued with ${content}.` })
  if (chain === 'stored' && (now.now_content !== content || now.now_sha256 !== content))
    found.push({ fault: 'changed bytes', detail: `Its bytes have the SHA-256 ${now.now_content}; it was stored with ${content}.` })
  return found
}

function toNamedFault({ organization_id, series, chain, number }: Named): Named {
  return { organization_id, series, chain, number }
}
