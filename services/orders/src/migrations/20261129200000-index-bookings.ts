import { migration } from '@quittance/runtime/schema'

/** An import compares the credits of its days with the receipts that the account has of them. */
export const indexBookings = migration('20261129200000-index-bookings', [
  `create index bank_receipts_by_booking on bank_receipts (payment_account_id, booked_on)`,
])
