import { all, textAt, type XmlElement } from './xml-tree.ts'

/** Fields that the rules of EN 16931 use, independent of the syntax. Amounts are hundredths. */
export interface ReadInvoice {
  typeCode: string | null
  number: string | null
  currency: string | null
  preceding: { number: string | null; date: string | null } | null
  seller: ReadParty
  buyer: ReadParty
  lines: ReadLine[]
  allowances: { amount: number; vat: string; reason: string | null }[]
  breakdown: { vat: string; taxable: number; tax: number; reason: string | null }[]
  totals: Record<'lines' | 'allowances' | 'net' | 'tax' | 'gross' | 'prepaid' | 'payable', number>
}

export interface ReadParty {
  name: string | null
  country: string | null
  vatNumber: string | null
  taxRegistration: string | null
  legalRegistration: string | null
}

/** `vat` is category and rate, for example `S 23`; without a rate, `O`. */
export interface ReadLine {
  name: string | null
  quantity: number
  price: number
  net: number
  vat: string
}

/** Throws for an amount with more than two decimal places (BR-DEC). */
function hundredths(element: XmlElement, path: string): number {
  const text = textAt(element, path)
  if (text === null) return 0
  if (!/^-?\d+(?:\.\d{1,2})?$/.test(text)) throw new Error(`${path} is not an amount: ${text}`)
  return Math.round(Number(text) * 100)
}

function vat(element: XmlElement, [category, rate]: [string, string]): string {
  return [textAt(element, category), textAt(element, rate)].filter((part) => part !== null).join(' ')
}

export function readUbl(root: XmlElement): ReadInvoice {
  const kind = root.name === 'CreditNote' ? 'CreditNote' : 'Invoice'
  const quantity = kind === 'CreditNote' ? 'CreditedQuantity' : 'InvoicedQuantity'
  const [reference] = all(root, 'BillingReference/InvoiceDocumentReference')
  const [sums] = all(root, 'LegalMonetaryTotal') as [XmlElement]
  const category: [string, string] = ['TaxCategory/ID', 'TaxCategory/Percent']
  return {
    typeCode: textAt(root, `${kind}TypeCode`),
    number: textAt(root, 'ID'),
    currency: textAt(root, 'DocumentCurrencyCode'),
    preceding: reference ? { number: textAt(reference, 'ID'), date: textAt(reference, 'IssueDate')?.replaceAll('-', '') ?? null } : null,
    seller: ublParty(root, 'AccountingSupplierParty'),
    buyer: ublParty(root, 'AccountingCustomerParty'),
    lines: all(root, `${kind}Line`).map((line) => ({
      name: textAt(line, 'Item/Name'),
      quantity: Number(textAt(line, quantity)),
      price: hundredths(line, 'Price/PriceAmount'),
      net: hundredths(line, 'LineExtensionAmount'),
      vat: vat(line, ['Item/ClassifiedTaxCategory/ID', 'Item/ClassifiedTaxCategory/Percent']),
    })),
    allowances: all(root, 'AllowanceCharge').map((each) => ({
      amount: hundredths(each, 'Amount'),
      vat: vat(each, category),
      reason: textAt(each, 'AllowanceChargeReason'),
    })),
    breakdown: all(root, 'TaxTotal/TaxSubtotal').map((group) => ({
      vat: vat(group, category),
      taxable: hundredths(group, 'TaxableAmount'),
      tax: hundredths(group, 'TaxAmount'),
      reason: textAt(group, 'TaxCategory/TaxExemptionReason'),
    })),
    totals: {
      lines: hundredths(sums, 'LineExtensionAmount'),
      allowances: hundredths(sums, 'AllowanceTotalAmount'),
      net: hundredths(sums, 'TaxExclusiveAmount'),
      tax: hundredths(root, 'TaxTotal/TaxAmount'),
      gross: hundredths(sums, 'TaxInclusiveAmount'),
      prepaid: hundredths(sums, 'PrepaidAmount'),
      payable: hundredths(sums, 'PayableAmount'),
    },
  }
}

function ublParty(root: XmlElement, role: string): ReadParty {
  const [party] = all(root, `${role}/Party`) as [XmlElement]
  const schemes = all(party, 'PartyTaxScheme')
  const number = (isVat: boolean) => schemes.find((scheme) => (textAt(scheme, 'TaxScheme/ID') === 'VAT') === isVat)
  const id = (scheme: XmlElement | undefined) => (scheme ? textAt(scheme, 'CompanyID') : null)
  return {
    name: textAt(party, 'PartyLegalEntity/RegistrationName'),
    country: textAt(party, 'PostalAddress/Country/IdentificationCode'),
    vatNumber: id(number(true)),
    taxRegistration: id(number(false)),
    legalRegistration: textAt(party, 'PartyLegalEntity/CompanyID'),
  }
}

export function readCii(root: XmlElement): ReadInvoice {
  const [trade] = all(root, 'SupplyChainTradeTransaction') as [XmlElement]
  const [settlement] = all(trade, 'ApplicableHeaderTradeSettlement') as [XmlElement]
  const [sums] = all(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation') as [XmlElement]
  const [reference] = all(settlement, 'InvoiceReferencedDocument')
  const rated = (prefix: string): [string, string] => [`${prefix}CategoryCode`, `${prefix}RateApplicablePercent`]
  return {
    typeCode: textAt(root, 'ExchangedDocument/TypeCode'),
    number: textAt(root, 'ExchangedDocument/ID'),
    currency: textAt(settlement, 'InvoiceCurrencyCode'),
    preceding: reference
      ? { number: textAt(reference, 'IssuerAssignedID'), date: textAt(reference, 'FormattedIssueDateTime/DateTimeString') }
      : null,
    seller: ciiParty(trade, 'SellerTradeParty'),
    buyer: ciiParty(trade, 'BuyerTradeParty'),
    lines: all(trade, 'IncludedSupplyChainTradeLineItem').map((line) => ({
      name: textAt(line, 'SpecifiedTradeProduct/Name'),
      quantity: Number(textAt(line, 'SpecifiedLineTradeDelivery/BilledQuantity')),
      price: hundredths(line, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount'),
      net: hundredths(line, 'SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount'),
      vat: vat(line, rated('SpecifiedLineTradeSettlement/ApplicableTradeTax/')),
    })),
    allowances: all(settlement, 'SpecifiedTradeAllowanceCharge').map((each) => ({
      amount: hundredths(each, 'ActualAmount'),
      vat: vat(each, rated('CategoryTradeTax/')),
      reason: textAt(each, 'Reason'),
    })),
    breakdown: all(settlement, 'ApplicableTradeTax').map((group) => ({
      vat: vat(group, rated('')),
      taxable: hundredths(group, 'BasisAmount'),
      tax: hundredths(group, 'CalculatedAmount'),
      reason: textAt(group, 'ExemptionReason'),
    })),
    totals: {
      lines: hundredths(sums, 'LineTotalAmount'),
      allowances: hundredths(sums, 'AllowanceTotalAmount'),
      net: hundredths(sums, 'TaxBasisTotalAmount'),
      tax: hundredths(sums, 'TaxTotalAmount'),
      gross: hundredths(sums, 'GrandTotalAmount'),
      prepaid: hundredths(sums, 'TotalPrepaidAmount'),
      payable: hundredths(sums, 'DuePayableAmount'),
    },
  }
}

function ciiParty(trade: XmlElement, role: string): ReadParty {
  const [party] = all(trade, `ApplicableHeaderTradeAgreement/${role}`) as [XmlElement]
  const ids = all(party, 'SpecifiedTaxRegistration/ID')
  return {
    name: textAt(party, 'Name'),
    country: textAt(party, 'PostalTradeAddress/CountryID'),
    vatNumber: ids.find(({ attributes }) => attributes['schemeID'] === 'VA')?.text ?? null,
    taxRegistration: ids.find(({ attributes }) => attributes['schemeID'] === 'FC')?.text ?? null,
    legalRegistration: textAt(party, 'SpecifiedLegalOrganization/ID'),
  }
}
