import { migration } from '@quittance/runtime/schema'

/** Clients described by a document at their `client_id`; the row is the last fetched version and when it expires. */
export const knowClientDocuments = migration('20261123001900-know-client-documents', [
  `alter table clients
    add column document_expires_at timestamptz,
    add constraint clients_document_has_no_secret check (document_expires_at is null or (client_id like 'https://%'
      and secret_hash is null and registration_token_hash is null and account_id is null and not is_trusted))`,
])
