import type { BenefitType } from '@quittance/contracts/benefits'
import { RequestValidationError } from '@quittance/contracts/errors'

/** What is missing for a type to be granted. */
const missing: Partial<Record<BenefitType, string>> = {
  discord: 'a connection to Discord',
  github_repository: 'a connection to GitHub',
  downloadables: 'a store of files',
  meter_credit: 'meters',
}

/** A benefit that nobody could be granted is not created. */
export function refuseBenefitType(type: BenefitType): void {
  const needed = missing[type]
  if (needed)
    throw RequestValidationError.field(['type'], `Benefits of type ${type} need ${needed}, which this installation does not have.`)
}
