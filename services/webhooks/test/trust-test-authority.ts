/** Imported before the service, which reads what is trusted when it is loaded. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificates } from './certificates.ts'

setDefaultCACertificates([...getCACertificates('default'), certificates.authority])

/** What is trusted from here on. */
export const trusted = getCACertificates('default')
