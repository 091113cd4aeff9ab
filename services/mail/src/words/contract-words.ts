/** Labels of the links to the public ways to withdraw from a contract and to cancel one. */
export interface ContractWords {
  withdraw: string
  cancel: string
}

export const contractWords: Readonly<Record<string, ContractWords>> = {
  ar: { withdraw: 'الانسحاب من العقد هنا', cancel: 'إلغاء العقود هنا' },
  de: { withdraw: 'Vertrag widerrufen', cancel: 'Verträge hier kündigen' },
  en: { withdraw: 'Withdraw from contract here', cancel: 'Cancel contracts here' },
  es: { withdraw: 'Desistir del contrato aquí', cancel: 'Cancelar contratos aquí' },
  fr: { withdraw: 'Se rétracter du contrat ici', cancel: 'Résilier votre contrat' },
  he: { withdraw: 'ביטול ההתקשרות בחוזה כאן', cancel: 'ביטול חוזים כאן' },
  it: { withdraw: 'Recedi dal contratto qui', cancel: 'Disdici i contratti qui' },
  ja: { withdraw: 'ここで契約を撤回する', cancel: 'ここで契約を解約する' },
  ko: { withdraw: '여기서 계약 철회하기', cancel: '여기서 계약 해지하기' },
  nl: { withdraw: 'Overeenkomst hier herroepen', cancel: 'Overeenkomsten hier opzeggen' },
  pt: { withdraw: 'Retratar-se do contrato aqui', cancel: 'Cancelar contratos aqui' },
  zh: { withdraw: '在此撤回合同', cancel: '在此终止合同' },
  'zh-Hant': { withdraw: '在此撤回合約', cancel: '在此終止合約' },
}
