import type { BaseMailWords } from './mail-words.ts'

export const german: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'Ihr Zahlungsbeleg von {seller}',
    title: 'Vielen Dank für Ihre Bestellung',
    text: '{seller} hat Ihre Zahlung über {amount} erhalten.',
    freeTitle: 'Vielen Dank für Ihre Bestellung',
    freeText: '{seller} hat Ihre Bestellung aufgenommen. Es ist nichts zu zahlen.',
    startedTitle: 'Ihr Abonnement hat begonnen',
    renewedTitle: 'Ihr Abonnement wurde verlängert',
    changedTitle: 'Ihr Tarifwechsel ist bezahlt',
  },
  refund: {
    subject: 'Erstattung von {seller}',
    title: 'Ihre Erstattung',
    text: '{seller} hat {amount} erstattet. Es kann einige Tage dauern, bis das Geld auf Ihrem Konto erscheint.',
  },
  paymentFailed: {
    subject: 'Die Zahlung für {product} ist fehlgeschlagen',
    title: 'Ihre Zahlung ist fehlgeschlagen',
    text: 'Die Zahlung für {product} wurde abgelehnt. Es wurde kein Geld abgebucht. Bis die Zahlung gelingt, ist Ihr Zugang unterbrochen.',
  },
  cancelled: {
    subject: 'Ihr Abonnement von {product} ist gekündigt',
    title: 'Ihr Abonnement ist gekündigt',
    text: 'Sie behalten den Zugang zu {product} bis zum {date}. Das Abonnement verlängert sich nicht mehr.',
    pausedText:
      'Ihr Zugang zu {product} ist unterbrochen, weil eine Zahlung fehlgeschlagen ist. Sobald sie gelingt, haben Sie Zugang bis zum {date}. Danach endet das Abonnement.',
  },
  uncancelled: {
    subject: 'Ihr Abonnement von {product} läuft weiter',
    title: 'Ihr Abonnement läuft weiter',
    text: 'Die Kündigung von {product} wurde zurückgenommen. Die nächste Zahlung ist am {date} fällig.',
  },
  ended: {
    subject: 'Ihr Abonnement von {product} ist beendet',
    title: 'Ihr Abonnement ist beendet',
    text: 'Ihr Zugang zu {product} ist beendet. Das Abonnement verlängert sich nicht mehr.',
  },
  planChanged: {
    subject: 'Ihr Tarif bei {seller} wurde geändert',
    title: 'Ihr Tarif wurde geändert',
    text: '{product} ersetzt {old}.',
  },
  invoice: {
    subject: 'Rechnung {number} von {seller}',
    title: 'Ihre Rechnung',
    text: 'Die Rechnung von {seller} liegt bereit. Der Link ist gültig bis zum {date}.',
  },
  creditNote: {
    subject: 'Gutschrift {number} von {seller}',
    title: 'Ihre Gutschrift',
    text: 'Die Gutschrift von {seller} liegt bereit. Der Link ist gültig bis zum {date}.',
  },
  code: {
    subject: 'Ihr Anmeldecode für {seller}',
    title: 'Ihr Anmeldecode',
    text: 'Geben Sie diesen Code auf der Anmeldeseite von {seller} ein. Er gilt einmal und 15 Minuten lang.',
    warning:
      'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Geben Sie den Code nie weiter: {seller} fragt nicht danach.',
  },
  invitation: {
    subject: 'Einladung zu {seller}',
    title: 'Sie sind eingeladen',
    text: 'Sie sind eingeladen, Mitglied von {seller} zu werden. Die Einladung gilt bis zum {date}.',
    warning: 'Wenn Sie keine Einladung erwarten, ignorieren Sie diese E-Mail.',
  },
  facts: {
    date: 'Datum',
    subtotal: 'Zwischensumme',
    discount: 'Rabatt',
    tax: 'Steuer',
    total: 'Gesamt',
    refunded: 'Erstattet',
    price: 'Preis',
    nextPayment: 'Nächste Zahlung',
    accessUntil: 'Zugang bis',
    number: 'Nummer',
    amount: 'Betrag',
  },
  per: { month: '{amount} pro Monat', year: '{amount} pro Jahr' },
  actions: {
    portal: 'Ihre Käufe',
    pay: 'Jetzt bezahlen',
    invoice: 'Rechnung öffnen',
    creditNote: 'Gutschrift öffnen',
    invitation: 'Einladung öffnen',
  },
  footers: {
    customer: 'Sie erhalten diese E-Mail wegen Ihres Kaufs bei {seller}.',
    code: 'Sie erhalten diese E-Mail, weil Ihre Adresse auf der Anmeldeseite von {seller} eingegeben wurde.',
    invitation: 'Sie erhalten diese E-Mail, weil ein Mitglied von {seller} Ihre Adresse eingegeben hat.',
  },
}
