/** Import before the service, which reads the trusted certificates at load time. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificates } from './certificates.ts'

setDefaultCACertificates([...getCACertificates('default'), certificates.authority])

/** Certificates trusted from here on. */
export const trusted = getCACertificates('default')
