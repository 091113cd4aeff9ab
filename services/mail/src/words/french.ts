import type { BaseMailWords } from './mail-words.ts'

export const french: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'Votre reçu de {seller}',
    title: 'Merci pour votre commande',
    text: '{seller} a reçu votre paiement de {amount}.',
    freeTitle: 'Merci pour votre commande',
    freeText: '{seller} a enregistré votre commande. Il n’y a rien à payer.',
    startedTitle: 'Votre abonnement a commencé',
    renewedTitle: 'Votre abonnement a été renouvelé',
    changedTitle: 'Votre changement d’offre est payé',
  },
  refund: {
    subject: 'Remboursement de {seller}',
    title: 'Votre remboursement',
    text: '{seller} a remboursé {amount}. L’argent peut mettre quelques jours à apparaître sur votre compte.',
  },
  paymentFailed: {
    subject: 'Le paiement de {product} a échoué',
    title: 'Votre paiement a échoué',
    text: 'Le paiement de {product} a été refusé. Aucune somme n’a été prélevée. Votre accès est suspendu jusqu’à ce que le paiement aboutisse.',
  },
  cancelled: {
    subject: 'Votre abonnement à {product} est résilié',
    title: 'Votre abonnement est résilié',
    text: 'Vous gardez l’accès à {product} jusqu’au {date}. L’abonnement ne sera plus renouvelé.',
    pausedText:
      'Votre accès à {product} est suspendu, car un paiement a échoué. Dès qu’il aboutit, vous avez accès jusqu’au {date}. L’abonnement prend ensuite fin.',
  },
  uncancelled: {
    subject: 'Votre abonnement à {product} continue',
    title: 'Votre abonnement continue',
    text: 'La résiliation de {product} a été annulée. Le prochain paiement est dû le {date}.',
  },
  ended: {
    subject: 'Votre abonnement à {product} est terminé',
    title: 'Votre abonnement est terminé',
    text: 'Votre accès à {product} a pris fin. L’abonnement ne sera plus renouvelé.',
  },
  planChanged: {
    subject: 'Votre offre chez {seller} a changé',
    title: 'Votre offre a changé',
    text: '{product} remplace {old}.',
  },
  invoice: {
    subject: 'Facture {number} de {seller}',
    title: 'Votre facture',
    text: 'La facture de {seller} est disponible. Le lien est valable jusqu’au {date}.',
  },
  creditNote: {
    subject: 'Avoir {number} de {seller}',
    title: 'Votre avoir',
    text: 'L’avoir de {seller} est disponible. Le lien est valable jusqu’au {date}.',
  },
  code: {
    subject: 'Votre code de connexion pour {seller}',
    title: 'Votre code de connexion',
    text: 'Saisissez ce code sur la page de connexion de {seller}. Il fonctionne une seule fois et reste valable 15 minutes.',
    warning: 'Si vous ne l’avez pas demandé, ignorez cet e-mail. Ne transmettez jamais le code : {seller} ne vous le demandera pas.',
  },
  invitation: {
    subject: 'Invitation à rejoindre {seller}',
    title: 'Vous êtes invité',
    text: 'Vous êtes invité à devenir membre de {seller}. L’invitation est valable jusqu’au {date}.',
    warning: 'Si vous n’attendiez pas cette invitation, ignorez cet e-mail.',
  },
  facts: {
    date: 'Date',
    subtotal: 'Sous-total',
    discount: 'Remise',
    tax: 'Taxe',
    total: 'Total',
    refunded: 'Remboursé',
    price: 'Prix',
    nextPayment: 'Prochain paiement',
    accessUntil: 'Accès jusqu’au',
    number: 'Numéro',
    amount: 'Montant',
  },
  per: { month: '{amount} par mois', year: '{amount} par an' },
  actions: {
    portal: 'Vos achats',
    pay: 'Payer maintenant',
    invoice: 'Ouvrir la facture',
    creditNote: 'Ouvrir l’avoir',
    invitation: 'Ouvrir l’invitation',
  },
  footers: {
    customer: 'Vous recevez cet e-mail en raison de votre achat chez {seller}.',
    code: 'Vous recevez cet e-mail parce que votre adresse a été saisie sur la page de connexion de {seller}.',
    invitation: 'Vous recevez cet e-mail parce qu’un membre de {seller} a saisi votre adresse.',
  },
}
