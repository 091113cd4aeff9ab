import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificates } from './certificates.ts'

let trusted: readonly string[] | null = null

/**
 * Trusts the authority of the test certificates in this worker and returns all trusted certificates. Called before the first TLS connection
 * of the service, which reads them then and keeps them for later files of the worker.
 */
export function trustTestAuthority(): readonly string[] {
  if (!trusted) {
    setDefaultCACertificates([...getCACertificates('default'), certificates.authority])
    trusted = getCACertificates('default')
  }
  return trusted
}
