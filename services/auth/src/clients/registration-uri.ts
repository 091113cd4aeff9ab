import { config } from '../config.ts'

/** Where a client is read, changed and deleted (RFC 7592 §3). */
export function registrationUri(clientId: string): string {
  return `${config().BASE_URL}/v1/oauth2/register/${clientId}`
}
