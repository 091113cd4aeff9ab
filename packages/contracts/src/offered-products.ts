import { z } from 'zod'
import { Id } from './identifiers.ts'

/** Fields of a request that names the products a buyer can choose from. The first that is present decides; one of them is required. */
export const offeredProducts = {
  products: z
    .array(Id)
    .min(1)
    .max(20)
    .nullish()
    .describe('Ids of the products that the buyer can choose from; the first one is preselected. Required without the deprecated keys.')
    .meta({ example: ['3fa85f64-5717-4562-b3fc-2c963f66afa6'] }),
  product_id: Id.nullish().meta({ deprecated: true, description: 'Deprecated; use products.' }),
  product_price_id: Id.nullish().meta({ deprecated: true, description: 'Deprecated; use products.' }),
}

/** What a request with `offeredProducts` names. */
export interface NamedProducts {
  products?: readonly string[] | null | undefined
  product_id?: string | null | undefined
  product_price_id?: string | null | undefined
}

/** Whether a request with `offeredProducts` names any. */
export const namesProducts = (named: NamedProducts): boolean => Boolean(named.products ?? named.product_id ?? named.product_price_id)

/** Error of a request that names none. */
export const missingProducts = { path: ['products'], error: 'Field required' }
