import { all, textAt, type XmlElement } from './xml-tree.ts'

/** Fields that the rules of XRechnung and Peppol use, independent of the syntax. */
export interface ReadProfile {
  specification: string | null
  process: string | null
  typeCode: string | null
  notes: number
  buyerReference: string | null
  orderReference: string | null
  seller: ReadProfileParty
  buyer: ReadProfileParty
  contact: { name: string | null; phone: string | null; email: string | null }
  paymentMeans: string[]
  /** Rates of the breakdown; null where one is missing. */
  rates: (string | null)[]
  categories: (string | null)[]
  precedingInvoice: string | null
  payable: number
  empty: string[]
}

export interface ReadProfileParty {
  country: string | null
  street: string | null
  city: string | null
  postalCode: string | null
  vatNumber: string | null
  taxRegistration: string | null
  legalId: string | null
  legalScheme: string | null
  endpoint: string | null
  scheme: string | null
}

function emptyElements(element: XmlElement): string[] {
  if (element.children.length === 0) return element.text.trim() === '' && !element.name.startsWith('Applicable') ? [element.name] : []
  return element.children.flatMap(emptyElements)
}

const first = (element: XmlElement, path: string): XmlElement | undefined => all(element, path)[0]

function textIn(element: XmlElement | undefined, path: string): string | null {
  return element ? textAt(element, path) : null
}

function readIdentifier<Id extends string, Scheme extends string>(
  element: XmlElement | undefined,
  id: Id,
  scheme: Scheme,
): Record<Id | Scheme, string | null> {
  const read = { [id]: element?.text ?? null, [scheme]: element?.attributes['schemeID'] ?? null }
  return read as Record<Id | Scheme, string | null>
}

export function readUblProfile(root: XmlElement): ReadProfile {
  const kind = root.name === 'CreditNote' ? 'CreditNote' : 'Invoice'
  const seller = first(root, 'AccountingSupplierParty/Party') as XmlElement
  const party = (role: string): ReadProfileParty => {
    const own = first(root, `${role}/Party`) as XmlElement
    const number = (scheme: string) => all(own, 'PartyTaxScheme').find((each) => textAt(each, 'TaxScheme/ID') === scheme)
    return {
      country: textAt(own, 'PostalAddress/Country/IdentificationCode'),
      street: textAt(own, 'PostalAddress/StreetName'),
      city: textAt(own, 'PostalAddress/CityName'),
      postalCode: textAt(own, 'PostalAddress/PostalZone'),
      vatNumber: textIn(number('VAT'), 'CompanyID'),
      taxRegistration: textIn(number('TAX'), 'CompanyID'),
      ...readIdentifier(first(own, 'PartyLegalEntity/CompanyID'), 'legalId', 'legalScheme'),
      ...readIdentifier(first(own, 'EndpointID'), 'endpoint', 'scheme'),
    }
  }
  return {
    specification: textAt(root, 'CustomizationID'),
    process: textAt(root, 'ProfileID'),
    typeCode: textAt(root, `${kind}TypeCode`),
    notes: all(root, 'Note').length,
    buyerReference: textAt(root, 'BuyerReference'),
    orderReference: textAt(root, 'OrderReference/ID'),
    seller: party('AccountingSupplierParty'),
    buyer: party('AccountingCustomerParty'),
    contact: {
      name: textAt(seller, 'Contact/Name'),
      phone: textAt(seller, 'Contact/Telephone'),
      email: textAt(seller, 'Contact/ElectronicMail'),
    },
    paymentMeans: all(root, 'PaymentMeans/PaymentMeansCode').map(({ text }) => text),
    rates: all(root, 'TaxTotal/TaxSubtotal/TaxCategory').map((category) => textAt(category, 'Percent')),
    categories: all(root, 'TaxTotal/TaxSubtotal/TaxCategory').map((category) => textAt(category, 'ID')),
    precedingInvoice: textIn(first(root, 'BillingReference/InvoiceDocumentReference'), 'ID'),
    payable: Number(textAt(root, 'LegalMonetaryTotal/PayableAmount')),
    empty: emptyElements(root),
  }
}

export function readCiiProfile(root: XmlElement): ReadProfile {
  const context = first(root, 'ExchangedDocumentContext') as XmlElement
  const trade = first(root, 'SupplyChainTradeTransaction') as XmlElement
  const agreement = first(trade, 'ApplicableHeaderTradeAgreement') as XmlElement
  const settlement = first(trade, 'ApplicableHeaderTradeSettlement') as XmlElement
  const party = (role: string): ReadProfileParty => {
    const own = first(agreement, role) as XmlElement
    const number = (scheme: string) => all(own, 'SpecifiedTaxRegistration/ID').find(({ attributes }) => attributes['schemeID'] === scheme)
    return {
      country: textAt(own, 'PostalTradeAddress/CountryID'),
      street: textAt(own, 'PostalTradeAddress/LineOne'),
      city: textAt(own, 'PostalTradeAddress/CityName'),
      postalCode: textAt(own, 'PostalTradeAddress/PostcodeCode'),
      vatNumber: number('VA')?.text ?? null,
      taxRegistration: number('FC')?.text ?? null,
      ...readIdentifier(first(own, 'SpecifiedLegalOrganization/ID'), 'legalId', 'legalScheme'),
      ...readIdentifier(first(own, 'URIUniversalCommunication/URIID'), 'endpoint', 'scheme'),
    }
  }
  const contact = first(agreement, 'SellerTradeParty/DefinedTradeContact')
  const inContact = (path: string) => (contact ? textAt(contact, path) : null)
  return {
    specification: textAt(context, 'GuidelineSpecifiedDocumentContextParameter/ID'),
    process: textAt(context, 'BusinessProcessSpecifiedDocumentContextParameter/ID'),
    typeCode: textAt(root, 'ExchangedDocument/TypeCode'),
    notes: all(root, 'ExchangedDocument/IncludedNote').length,
    buyerReference: textAt(agreement, 'BuyerReference'),
    orderReference: textAt(agreement, 'BuyerOrderReferencedDocument/IssuerAssignedID'),
    seller: party('SellerTradeParty'),
    buyer: party('BuyerTradeParty'),
    contact: {
      name: inContact('PersonName'),
      phone: inContact('TelephoneUniversalCommunication/CompleteNumber'),
      email: inContact('EmailURIUniversalCommunication/URIID'),
    },
    paymentMeans: all(settlement, 'SpecifiedTradeSettlementPaymentMeans/TypeCode').map(({ text }) => text),
    rates: all(settlement, 'ApplicableTradeTax').map((tax) => textAt(tax, 'RateApplicablePercent')),
    categories: all(settlement, 'ApplicableTradeTax').map((tax) => textAt(tax, 'CategoryCode')),
    precedingInvoice: textIn(first(settlement, 'InvoiceReferencedDocument'), 'IssuerAssignedID'),
    payable: Number(textAt(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation/DuePayableAmount')),
    empty: emptyElements(root),
  }
}
