import type { BaseMailWords } from './mail-words.ts'

export const spanish: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'Su recibo de {seller}',
    title: 'Gracias por su pedido',
    text: '{seller} ha recibido su pago de {amount}.',
    freeTitle: 'Gracias por su pedido',
    freeText: '{seller} ha registrado su pedido. No hay nada que pagar.',
    startedTitle: 'Su suscripción ha comenzado',
    renewedTitle: 'Su suscripción se ha renovado',
    changedTitle: 'Su cambio de plan está pagado',
  },
  refund: {
    subject: 'Reembolso de {seller}',
    title: 'Su reembolso',
    text: '{seller} ha reembolsado {amount}. El dinero puede tardar unos días en aparecer en su cuenta.',
  },
  paymentFailed: {
    subject: 'El pago de {product} ha fallado',
    title: 'Su pago ha fallado',
    text: 'El pago de {product} fue rechazado. No se ha cobrado nada. Su acceso queda en pausa hasta que se complete el pago.',
  },
  cancelled: {
    subject: 'Su suscripción a {product} está cancelada',
    title: 'Su suscripción está cancelada',
    text: 'Conserva el acceso a {product} hasta el {date}. La suscripción ya no se renovará.',
    pausedText:
      'Su acceso a {product} está en pausa porque falló un pago. En cuanto se complete, tendrá acceso hasta el {date}. Después termina la suscripción.',
  },
  uncancelled: {
    subject: 'Su suscripción a {product} continúa',
    title: 'Su suscripción continúa',
    text: 'Se ha retirado la cancelación de {product}. El próximo pago vence el {date}.',
  },
  ended: {
    subject: 'Su suscripción a {product} ha terminado',
    title: 'Su suscripción ha terminado',
    text: 'Su acceso a {product} ha terminado. La suscripción ya no se renovará.',
  },
  planChanged: {
    subject: 'Su plan en {seller} ha cambiado',
    title: 'Su plan ha cambiado',
    text: '{product} sustituye a {old}.',
  },
  invoice: {
    subject: 'Factura {number} de {seller}',
    title: 'Su factura',
    text: 'La factura de {seller} está lista. El enlace es válido hasta el {date}.',
  },
  creditNote: {
    subject: 'Nota de crédito {number} de {seller}',
    title: 'Su nota de crédito',
    text: 'La nota de crédito de {seller} está lista. El enlace es válido hasta el {date}.',
  },
  code: {
    subject: 'Su código de acceso para {seller}',
    title: 'Su código de acceso',
    text: 'Introduzca este código en la página de acceso de {seller}. Funciona una sola vez y es válido durante 15 minutos.',
    warning: 'Si no lo ha solicitado, ignore este correo. No comparta nunca el código: {seller} no se lo pedirá.',
  },
  invitation: {
    subject: 'Invitación a {seller}',
    title: 'Tiene una invitación',
    text: 'Le invitan a ser miembro de {seller}. La invitación es válida hasta el {date}.',
    warning: 'Si no la esperaba, ignore este correo.',
  },
  facts: {
    date: 'Fecha',
    subtotal: 'Subtotal',
    discount: 'Descuento',
    tax: 'Impuesto',
    total: 'Total',
    refunded: 'Reembolsado',
    price: 'Precio',
    nextPayment: 'Próximo pago',
    accessUntil: 'Acceso hasta',
    number: 'Número',
    amount: 'Importe',
  },
  per: { month: '{amount} al mes', year: '{amount} al año' },
  actions: {
    portal: 'Sus compras',
    pay: 'Pagar ahora',
    invoice: 'Abrir la factura',
    creditNote: 'Abrir la nota de crédito',
    invitation: 'Abrir la invitación',
  },
  footers: {
    customer: 'Recibe este correo por su compra en {seller}.',
    code: 'Recibe este correo porque su dirección se introdujo en la página de acceso de {seller}.',
    invitation: 'Recibe este correo porque un miembro de {seller} introdujo su dirección.',
  },
}
