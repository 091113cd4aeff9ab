import type { BaseMailWords } from './mail-words.ts'

export const portuguese: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'O seu recibo de {seller}',
    title: 'Obrigado pela sua encomenda',
    text: '{seller} recebeu o seu pagamento de {amount}.',
    freeTitle: 'Obrigado pela sua encomenda',
    freeText: '{seller} registou a sua encomenda. Não há nada a pagar.',
    startedTitle: 'A sua subscrição começou',
    renewedTitle: 'A sua subscrição foi renovada',
    changedTitle: 'A mudança de plano está paga',
  },
  refund: {
    subject: 'Reembolso de {seller}',
    title: 'O seu reembolso',
    text: '{seller} reembolsou {amount}. O dinheiro pode demorar alguns dias a aparecer na sua conta.',
  },
  paymentFailed: {
    subject: 'O pagamento de {product} falhou',
    title: 'O seu pagamento falhou',
    text: 'O pagamento de {product} foi recusado. Nada foi cobrado. O seu acesso está suspenso até o pagamento ser concluído.',
  },
  cancelled: {
    subject: 'A sua subscrição de {product} foi cancelada',
    title: 'A sua subscrição foi cancelada',
    text: 'Mantém o acesso a {product} até {date}. A subscrição não voltará a ser renovada.',
    pausedText:
      'O seu acesso a {product} está suspenso porque um pagamento falhou. Assim que for concluído, tem acesso até {date}. Depois a subscrição termina.',
  },
  uncancelled: {
    subject: 'A sua subscrição de {product} continua',
    title: 'A sua subscrição continua',
    text: 'O cancelamento de {product} foi retirado. O próximo pagamento é em {date}.',
  },
  ended: {
    subject: 'A sua subscrição de {product} terminou',
    title: 'A sua subscrição terminou',
    text: 'O seu acesso a {product} terminou. A subscrição não voltará a ser renovada.',
  },
  planChanged: {
    subject: 'O seu plano em {seller} mudou',
    title: 'O seu plano mudou',
    text: '{product} substitui {old}.',
  },
  invoice: {
    subject: 'Fatura {number} de {seller}',
    title: 'A sua fatura',
    text: 'A fatura de {seller} está pronta. A ligação é válida até {date}.',
  },
  creditNote: {
    subject: 'Nota de crédito {number} de {seller}',
    title: 'A sua nota de crédito',
    text: 'A nota de crédito de {seller} está pronta. A ligação é válida até {date}.',
  },
  code: {
    subject: 'O seu código de acesso para {seller}',
    title: 'O seu código de acesso',
    text: 'Introduza este código na página de acesso de {seller}. Funciona uma vez e é válido durante 15 minutos.',
    warning: 'Se não o pediu, ignore este e-mail. Nunca partilhe o código: {seller} não o vai pedir.',
  },
  invitation: {
    subject: 'Convite para {seller}',
    title: 'Recebeu um convite',
    text: 'Recebeu um convite para ser membro de {seller}. O convite é válido até {date}.',
    warning: 'Se não o esperava, ignore este e-mail.',
  },
  facts: {
    date: 'Data',
    subtotal: 'Subtotal',
    discount: 'Desconto',
    tax: 'Imposto',
    total: 'Total',
    refunded: 'Reembolsado',
    price: 'Preço',
    nextPayment: 'Próximo pagamento',
    accessUntil: 'Acesso até',
    number: 'Número',
    amount: 'Montante',
  },
  per: { month: '{amount} por mês', year: '{amount} por ano' },
  actions: {
    portal: 'As suas compras',
    pay: 'Pagar agora',
    invoice: 'Abrir a fatura',
    creditNote: 'Abrir a nota de crédito',
    invitation: 'Abrir o convite',
  },
  footers: {
    customer: 'Recebe este e-mail devido à sua compra a {seller}.',
    code: 'Recebe este e-mail porque o seu endereço foi introduzido na página de acesso de {seller}.',
    invitation: 'Recebe este e-mail porque um membro de {seller} introduziu o seu endereço.',
  },
}
