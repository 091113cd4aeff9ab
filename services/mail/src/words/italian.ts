import type { BaseMailWords } from './mail-words.ts'

export const italian: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'La sua ricevuta da {seller}',
    title: 'Grazie per il suo ordine',
    text: '{seller} ha ricevuto il suo pagamento di {amount}.',
    freeTitle: 'Grazie per il suo ordine',
    freeText: '{seller} ha registrato il suo ordine. Non c’è nulla da pagare.',
    startedTitle: 'Il suo abbonamento è iniziato',
    renewedTitle: 'Il suo abbonamento è stato rinnovato',
    changedTitle: 'Il cambio di piano è stato pagato',
  },
  refund: {
    subject: 'Rimborso da {seller}',
    title: 'Il suo rimborso',
    text: '{seller} ha rimborsato {amount}. Possono passare alcuni giorni prima che il denaro compaia sul suo conto.',
  },
  paymentFailed: {
    subject: 'Il pagamento per {product} non è riuscito',
    title: 'Il suo pagamento non è riuscito',
    text: 'Il pagamento per {product} è stato rifiutato. Non è stato addebitato nulla. Il suo accesso è sospeso finché il pagamento non riesce.',
  },
  cancelled: {
    subject: 'Il suo abbonamento a {product} è disdetto',
    title: 'Il suo abbonamento è disdetto',
    text: 'Mantiene l’accesso a {product} fino al {date}. L’abbonamento non si rinnoverà più.',
    pausedText:
      'Il suo accesso a {product} è sospeso perché un pagamento non è riuscito. Quando riesce, avrà accesso fino al {date}. Poi l’abbonamento termina.',
  },
  uncancelled: {
    subject: 'Il suo abbonamento a {product} continua',
    title: 'Il suo abbonamento continua',
    text: 'La disdetta di {product} è stata ritirata. Il prossimo pagamento è previsto il {date}.',
  },
  ended: {
    subject: 'Il suo abbonamento a {product} è terminato',
    title: 'Il suo abbonamento è terminato',
    text: 'Il suo accesso a {product} è terminato. L’abbonamento non si rinnoverà più.',
  },
  planChanged: {
    subject: 'Il suo piano presso {seller} è cambiato',
    title: 'Il suo piano è cambiato',
    text: '{product} sostituisce {old}.',
  },
  invoice: {
    subject: 'Fattura {number} di {seller}',
    title: 'La sua fattura',
    text: 'La fattura di {seller} è pronta. Il link è valido fino al {date}.',
  },
  creditNote: {
    subject: 'Nota di credito {number} di {seller}',
    title: 'La sua nota di credito',
    text: 'La nota di credito di {seller} è pronta. Il link è valido fino al {date}.',
  },
  code: {
    subject: 'Il suo codice di accesso per {seller}',
    title: 'Il suo codice di accesso',
    text: 'Inserisca questo codice nella pagina di accesso di {seller}. Funziona una sola volta ed è valido per 15 minuti.',
    warning: 'Se non lo ha richiesto, ignori questa e-mail. Non comunichi mai il codice: {seller} non glielo chiederà.',
  },
  invitation: {
    subject: 'Invito a {seller}',
    title: 'Ha ricevuto un invito',
    text: 'È invitato a diventare membro di {seller}. L’invito è valido fino al {date}.',
    warning: 'Se non lo aspettava, ignori questa e-mail.',
  },
  facts: {
    date: 'Data',
    subtotal: 'Subtotale',
    discount: 'Sconto',
    tax: 'Imposta',
    total: 'Totale',
    refunded: 'Rimborsato',
    price: 'Prezzo',
    nextPayment: 'Prossimo pagamento',
    accessUntil: 'Accesso fino al',
    number: 'Numero',
    amount: 'Importo',
  },
  per: { month: '{amount} al mese', year: '{amount} all’anno' },
  actions: {
    portal: 'I suoi acquisti',
    pay: 'Paga ora',
    invoice: 'Apri la fattura',
    creditNote: 'Apri la nota di credito',
    invitation: 'Apri l’invito',
  },
  footers: {
    customer: 'Riceve questa e-mail per il suo acquisto da {seller}.',
    code: 'Riceve questa e-mail perché il suo indirizzo è stato inserito nella pagina di accesso di {seller}.',
    invitation: 'Riceve questa e-mail perché un membro di {seller} ha inserito il suo indirizzo.',
  },
}
