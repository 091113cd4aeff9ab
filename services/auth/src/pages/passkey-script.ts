import { createHash } from 'node:crypto'
import { Html } from '@quittance/pages/html'

/**
 * The only script of the sign-in pages: browsers offer passkeys only to scripts. It shows each form with `data-passkey` (the server's
 * options as JSON); on submit it calls the authenticator and puts the response into the field `credential`.
 */
const script = `
(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')
  const named = (list) => (list || []).map((each) => ({ ...each, id: bytes(each.id) }))
  const create = async (options) => {
    const publicKey = { ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: named(options.excludeCredentials) }
    const made = await navigator.credentials.create({ publicKey })
    const { response } = made
    return { id: made.id, rawId: text(made.rawId), type: made.type, clientExtensionResults: {},
      authenticatorAttachment: made.authenticatorAttachment || undefined,
      response: { clientDataJSON: text(response.clientDataJSON), attestationObject: text(response.attestationObject),
        transports: response.getTransports ? response.getTransports() : [] } }
  }
  const get = async (options) => {
    const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials: named(options.allowCredentials) }
    const found = await navigator.credentials.get({ publicKey })
    const { response } = found
    return { id: found.id, rawId: text(found.rawId), type: found.type, clientExtensionResults: {},
      response: { clientDataJSON: text(response.clientDataJSON), authenticatorData: text(response.authenticatorData),
        signature: text(response.signature), userHandle: response.userHandle ? text(response.userHandle) : undefined } }
  }
  if (!window.PublicKeyCredential) return
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const options = JSON.parse(form.dataset.passkey)
    const problem = form.querySelector('[role=alert]')
    form.hidden = false
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      problem.textContent = ''
      try {
        form.elements.credential.value = JSON.stringify(await (options.user ? create(options) : get(options)))
        form.submit()
      } catch (error) {
        problem.textContent = error.name === 'InvalidStateError' ? 'This device has a passkey of your account already.'
          : 'Your browser gave no passkey. It was cancelled, or there is none on this device.'
      }
    })
  }
})()
`

/** Byte for byte what the policy allows, see `styleElement`. */
export const passkeyScript = new Html(`<script>${script}</script>`)

/** Source expression for `script-src`. */
export const passkeyScriptHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`
