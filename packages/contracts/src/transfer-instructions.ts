import { z } from 'zod'
import { Amount, Currency } from './money.ts'

/** Where and how a buyer sends the money of an order by bank transfer. */
export const TransferInstructions = z
  .object({
    beneficiary: z.string(),
    iban: z.string(),
    bic: z.string().nullable(),
    amount: Amount.describe('The whole amount, also if a part of it has arrived.'),
    currency: Currency,
    reference: z.string().describe('Creditor reference (ISO 11649), which the transfer has to state.'),
    due_date: z.iso.date(),
    epc: z
      .string()
      .nullable()
      .describe('Content of the QR code for banking applications (EPC069-12); null for other currencies than euro.'),
  })
  .meta({ id: 'TransferInstructions' })
export type TransferInstructions = z.infer<typeof TransferInstructions>
