/** A booking of a test statement; each field is as in the standard. */
export interface TestEntry {
  amount?: string
  currency?: string
  status?: string
  direction?: 'CRDT' | 'DBIT'
  isReversal?: boolean
  reference?: string | null
  structured?: string
  unstructured?: string[]
  payer?: string
  parts?: Omit<TestEntry, 'parts' | 'status' | 'isReversal'>[]
}

export const testIban = 'DE89370400440532013000'

/** Builds a bank statement of one account and day. */
export function buildCamt(entries: TestEntry[], { iban = testIban, version = '02', prolog = '' } = {}): string {
  const isNew = version !== '02'
  return `<?xml version="1.0" encoding="UTF-8"?>${prolog}
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>1</MsgId><CreDtTm>2026-11-24T06:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>1</Id><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>
${entries.map((entry) => buildEntry(entry, isNew)).join('\n')}
</Stmt></BkToCstmrStmt></Document>`
}

function buildEntry(entry: TestEntry, isNew: boolean): string {
  const { amount = '42.00', currency = 'EUR', status = 'BOOK', direction = 'CRDT', isReversal, reference = 'BANK-1', parts } = entry
  const details = (parts ?? [entry]).map((part) => buildDetails(part, { isNew, withAmount: parts !== undefined })).join('')
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${isReversal ? '<RvslInd>true</RvslInd>' : ''}
<Sts>${isNew ? `<Cd>${status}</Cd>` : status}</Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt>
${reference === null ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`}<NtryDtls>${details}</NtryDtls></Ntry>`
}

function buildDetails(part: TestEntry, { isNew, withAmount }: { isNew: boolean; withAmount: boolean }): string {
  const { amount = '42.00', currency = 'EUR', structured, unstructured = [], payer = 'Ada &amp; Sons' } = part
  const name = `<Nm>${payer}</Nm>`
  return `<TxDtls>${withAmount ? `<Amt Ccy="${currency}">${amount}</Amt>` : ''}<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>
<RltdPties><Dbtr>${isNew ? `<Pty>${name}</Pty>` : name}</Dbtr></RltdPties>
<RmtInf>${unstructured.map((text) => `<Ustrd>${text}</Ustrd>`).join('')}${
    structured ? `<Strd><CdtrRefInf><Ref>${structured}</Ref></CdtrRefInf></Strd>` : ''
  }</RmtInf></TxDtls>`
}
