import { isStorableTime } from '@quittance/contracts/identifiers'
import { currencyDigits } from '@quittance/contracts/money'
import { findAll, findText, readXml, UnreadableXml, type XmlElement } from './read-xml.ts'
import { readBooking, readCredit, type Amount, type StatementCredit } from './statement-credit.ts'

/** Booked credits of one bank account. */
export interface Statement {
  iban: string
  credits: StatementCredit[]
}

const namespace = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(02|08)$/

/**
 * Reads a bank statement: CAMT.053 of ISO 20022, version 02 or 08. Debits, what is not booked yet, and bookings of 0, with which banks close an
 * account for a period, are left out.
 *
 * @throws UnreadableXml if it is anything else.
 */
export function parseCamt(document: string): Statement[] {
  const root = readXml(document)
  if (root.name !== 'Document' || !namespace.test(root.namespace)) throw new UnreadableXml('It is not CAMT.053, version 02 or 08.')
  const statements = findAll(root, 'BkToCstmrStmt/Stmt')
  if (statements.length === 0) throw new UnreadableXml('It has no statement.')
  return statements.map((statement) => ({
    iban: (findText(statement, 'Acct/Id/IBAN') ?? '').replace(/\s/g, '').toUpperCase(),
    credits: findAll(statement, 'Ntry')
      .flatMap(parseEntry)
      .filter(({ amount }) => amount > 0n),
  }))
}

function parseEntry(entry: XmlElement): StatementCredit[] {
  if (findText(entry, 'Sts/Cd', 'Sts') !== 'BOOK') return []
  // Both are a true boolean of XML.
  const isReversal = ['true', '1'].includes(findText(entry, 'RvslInd') ?? '')
  if (findText(entry, 'CdtDbtInd') !== 'CRDT' && !isReversal) return []
  const total = parseAmount(findAll(entry, 'Amt')[0])
  const bookedOn = parseDate(findText(entry, 'BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'))
  const booking = readBooking(entry, { ...total, bookedOn, isReversal })
  const parts = findAll(entry, 'NtryDtls/TxDtls')
  const amounts = parts.map((part) => findFirst(part, 'Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'))
  if (parts.length > 1 && amounts.every((amount) => amount !== undefined)) {
    const parsed = amounts.map(parseAmount)
    const sum = parsed.reduce((before, { amount }) => before + amount, 0n)
    // A collective booking is only divided if its parts are the whole.
    if (sum === total.amount && parsed.every(({ currency }) => currency === total.currency))
      return parts.map((part, index) => readCredit(booking, [part], parsed[index]))
  }
  return [readCredit(booking, parts)]
}

function parseAmount(element: XmlElement | undefined): Amount {
  const currency = element?.attributes['Ccy'] ?? ''
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,5}))?$/.exec(element?.text ?? '') ?? []
  if (whole === undefined || !/^[A-Z]{3}$/.test(currency)) throw new UnreadableXml('An amount is not valid.')
  const digits = currencyDigits(currency)
  const [minor, rest] = [fraction.slice(0, digits).padEnd(digits, '0'), fraction.slice(digits)]
  const amount = BigInt(whole + minor)
  if (/[1-9]/.test(rest)) throw new UnreadableXml('An amount is not valid.')
  return { amount, currency: currency.toLowerCase() }
}

const findFirst = (element: XmlElement, ...paths: string[]) => paths.flatMap((path) => findAll(element, path))[0]

function parseDate(text: string | null): string {
  const date = text?.slice(0, 10) ?? ''
  const time = `${date}T00:00:00Z`
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !isStorableTime(time) || new Date(time).toISOString().slice(0, 10) !== date)
    throw new UnreadableXml('A booking date is not valid.')
  return date
}
