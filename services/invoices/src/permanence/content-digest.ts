/**
 * Returns the SQL of the digest of an issued document over every immutable column. `i` is a row of `invoices`. Functions are qualified with
 * `pg_catalog`, so functions of the same name in other schemas are not used. Part of a migration, so it must never change: a later form
 * needs another name.
 */
export const issuedContentDigest = (i: string) => `pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat_ws(E'\\n',
    'quittance document content 1', ${i}.kind, ${i}.order_id, ${i}.number,
    (extract(epoch from ${i}.requested_at) * 1000000)::bigint,
    coalesce(${i}.corrects_id::text, '-'), coalesce(${i}.replaces_id::text, '-'), coalesce(${i}.refund_id::text, '-'),
    ${i}.source::text, coalesce(${i}.printed::text, '-')), 'UTF8')), 'hex')`
