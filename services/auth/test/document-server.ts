import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trustCertificate } from '@quittance/testing/harness'

/** For 127.0.0.1, self-signed, trusted only in these tests; valid for 100 years. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUIH2jZUivG7EGDZ5iiCTLeo8zBpMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzAxMTQzNloYDzIxMjYxMDMw
MDExNDM2WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATjmGe1UHsB9xweBCsqOYlxoL9PdtyJ+7TVq3FK31Fwmmousp3Q7O1k
T1LNP6IkBLsDLmI6Pzjes6OWenGoMdEgo2QwYjAdBgNVHQ4EFgQU5wgjrR5NFaKm
DUqwyh2dQ6qM6aIwHwYDVR0jBBgwFoAU5wgjrR5NFaKmDUqwyh2dQ6qM6aIwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQD7aoyzQee5vmbfy71oBrSBjKp3GF8nTfDmMbmSj2HABwIhAKlDIdrR7H67NV/m
v74GXr1FfNfx0FNXdLqx1mQ8fsz+
-----END CERTIFICATE-----`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghrup2hx3wLp9bb+P
La37YvW17B5BHwrbEYJN3KJUgrqhRANCAATjmGe1UHsB9xweBCsqOYlxoL9PdtyJ
+7TVq3FK31Fwmmousp3Q7O1kT1LNP6IkBLsDLmI6Pzjes6OWenGoMdEg
-----END PRIVATE KEY-----`

/** Trusts the certificate of every document server in this worker. */
export const trustDocumentServers = () => trustCertificate(cert)

/** Starts an https server on 127.0.0.1 that serves metadata documents of clients. */
export interface DocumentServer extends AsyncDisposable {
  origin: string
  /** Paths of the received requests. */
  requestedPaths: string[]
  answer(how: (request: IncomingMessage, response: ServerResponse) => void): void
  /** Serves a valid document of the client at this path, with the given changes. */
  describe(path: string, changed?: Record<string, unknown>, headers?: Record<string, string>): void
}

export async function startDocumentServer(): Promise<DocumentServer> {
  const requestedPaths: string[] = []
  let how: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.writeHead(404).end()
  const server: Server = createServer({ cert, key }, (request, response) => {
    requestedPaths.push(request.url ?? '')
    how(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    requestedPaths,
    answer: (next) => void (how = next),
    describe(path, changed = {}, headers = {}) {
      const good = { client_id: origin + path, client_name: 'Ledger', redirect_uris: ['https://ledger.example.com/callback'] }
      how = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ ...good, ...changed }))
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
