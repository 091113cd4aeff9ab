/** Paths of the authorization server. */
export const routes = {
  authorization: '/oauth2/authorize',
  interaction: '/oauth2/interaction',
  account: '/oauth2/account',
  invitations: '/oauth2/account/invitations',
  forgotPassword: '/oauth2/account/forgot-password',
  resetPassword: '/oauth2/account/reset-password',
  end_session: '/oauth2/logout',
  token: '/v1/oauth2/token',
  userinfo: '/v1/oauth2/userinfo',
  revocation: '/v1/oauth2/revoke',
  introspection: '/v1/oauth2/introspect',
  pushed_authorization_request: '/v1/oauth2/par',
  registration: '/v1/oauth2/register',
  jwks: '/.well-known/jwks.json',
} as const
