import { getSubscription as contract } from '@quittance/contracts/subscriptions'
import { query } from '@quittance/runtime/handler'
import { subscriptionView } from './subscription-view.ts'

export const getSubscription = query(contract, ({ id }, { read }) => read.one(subscriptionView, { where: 's.id = :id', values: { id } }))
