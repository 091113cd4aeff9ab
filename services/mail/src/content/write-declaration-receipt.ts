import { fillSentence, toUnlinked } from './mail-content.ts'
import type { DeclarationData } from './mail-data.ts'
import { fillTexts, type Writing, type Written } from './writing.ts'

/** Writes the receipt of a withdrawal or a cancellation: its content, date and time, on a durable medium (Directive 2011/83/EU, Art. 11a). */
export function writeDeclarationReceipt({ words, formats, seller }: Writing, data: DeclarationData): Written {
  const { declaration, facts } = words
  return {
    ...fillTexts(data.kind === 'withdrawal_receipt' ? declaration.withdrawal : declaration.cancellation, { seller }),
    facts: [
      { label: declaration.receivedAt, value: formats.moment(data.receivedAt) },
      { label: declaration.contract, value: toUnlinked(data.contract) },
      { label: declaration.name, value: toUnlinked(data.name) },
      { label: facts.number, value: data.number },
    ],
    footer: fillSentence(declaration.footer, { seller }),
  }
}
