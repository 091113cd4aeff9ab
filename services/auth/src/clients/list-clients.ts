import { listClients as contract } from '@quittance/contracts/clients'
import { query } from '@quittance/runtime/handler'
import { orderBy } from '@quittance/runtime/list'
import { ownPerson } from '../accounts/own-person.ts'
import { listedClientView } from './client-view.ts'

const columns = { created_at: 'c.created_at', client_name: 'c.name' }

export const listClients = query(contract, ({ sorting, page, limit }, { caller, read }) =>
  read.page(listedClientView, {
    where: 'c.account_id = :account_id and c.deleted_at is null',
    values: { account_id: ownPerson(caller).userId },
    orderBy: orderBy(columns, { sorting, ties: ['c.created_at', 'c.id'] }),
    page,
    limit,
  }),
)
