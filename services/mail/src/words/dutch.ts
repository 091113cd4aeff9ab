import type { BaseMailWords } from './mail-words.ts'

export const dutch: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'Uw betaalbewijs van {seller}',
    title: 'Bedankt voor uw bestelling',
    text: '{seller} heeft uw betaling van {amount} ontvangen.',
    freeTitle: 'Bedankt voor uw bestelling',
    freeText: '{seller} heeft uw bestelling vastgelegd. Er hoeft niets betaald te worden.',
    startedTitle: 'Uw abonnement is begonnen',
    renewedTitle: 'Uw abonnement is verlengd',
    changedTitle: 'De wijziging van uw abonnement is betaald',
  },
  refund: {
    subject: 'Terugbetaling van {seller}',
    title: 'Uw terugbetaling',
    text: '{seller} heeft {amount} terugbetaald. Het kan enkele dagen duren voordat het geld op uw rekening staat.',
  },
  paymentFailed: {
    subject: 'De betaling voor {product} is mislukt',
    title: 'Uw betaling is mislukt',
    text: 'De betaling voor {product} is geweigerd. Er is geen geld afgeschreven. Uw toegang is onderbroken tot de betaling lukt.',
  },
  cancelled: {
    subject: 'Uw abonnement op {product} is opgezegd',
    title: 'Uw abonnement is opgezegd',
    text: 'U houdt toegang tot {product} tot {date}. Het abonnement wordt niet meer verlengd.',
    pausedText:
      'Uw toegang tot {product} is onderbroken omdat een betaling is mislukt. Zodra ze lukt, hebt u toegang tot {date}. Daarna eindigt het abonnement.',
  },
  uncancelled: {
    subject: 'Uw abonnement op {product} loopt door',
    title: 'Uw abonnement loopt door',
    text: 'De opzegging van {product} is ingetrokken. De volgende betaling is op {date}.',
  },
  ended: {
    subject: 'Uw abonnement op {product} is beëindigd',
    title: 'Uw abonnement is beëindigd',
    text: 'Uw toegang tot {product} is beëindigd. Het abonnement wordt niet meer verlengd.',
  },
  planChanged: {
    subject: 'Uw abonnement bij {seller} is gewijzigd',
    title: 'Uw abonnement is gewijzigd',
    text: '{product} vervangt {old}.',
  },
  invoice: {
    subject: 'Factuur {number} van {seller}',
    title: 'Uw factuur',
    text: 'De factuur van {seller} staat klaar. De link is geldig tot {date}.',
  },
  creditNote: {
    subject: 'Creditnota {number} van {seller}',
    title: 'Uw creditnota',
    text: 'De creditnota van {seller} staat klaar. De link is geldig tot {date}.',
  },
  code: {
    subject: 'Uw inlogcode voor {seller}',
    title: 'Uw inlogcode',
    text: 'Voer deze code in op de inlogpagina van {seller}. De code werkt één keer en is 15 minuten geldig.',
    warning: 'Hebt u de code niet aangevraagd, negeer dan deze e-mail. Geef de code nooit door: {seller} vraagt er niet om.',
  },
  invitation: {
    subject: 'Uitnodiging voor {seller}',
    title: 'U bent uitgenodigd',
    text: 'U bent uitgenodigd om lid te worden van {seller}. De uitnodiging is geldig tot {date}.',
    warning: 'Verwachtte u geen uitnodiging, negeer dan deze e-mail.',
  },
  facts: {
    date: 'Datum',
    subtotal: 'Subtotaal',
    discount: 'Korting',
    tax: 'Belasting',
    total: 'Totaal',
    refunded: 'Terugbetaald',
    price: 'Prijs',
    nextPayment: 'Volgende betaling',
    accessUntil: 'Toegang tot',
    number: 'Nummer',
    amount: 'Bedrag',
  },
  per: { month: '{amount} per maand', year: '{amount} per jaar' },
  actions: {
    portal: 'Uw aankopen',
    pay: 'Nu betalen',
    invoice: 'Factuur openen',
    creditNote: 'Creditnota openen',
    invitation: 'Uitnodiging openen',
  },
  footers: {
    customer: 'U ontvangt deze e-mail vanwege uw aankoop bij {seller}.',
    code: 'U ontvangt deze e-mail omdat uw adres op de inlogpagina van {seller} is ingevoerd.',
    invitation: 'U ontvangt deze e-mail omdat een lid van {seller} uw adres heeft ingevoerd.',
  },
}
