/** What asking a gateway, real or sandbox, can come to. `data.status` is the HTTP status, where there was one. */
export const gatewayCodes = {
  /** No connection: not running, no network, a name that does not resolve. */
  unreachable: 'GATEWAY_UNREACHABLE',
  timeout: 'GATEWAY_TIMEOUT',
  /** 400, 409, 422 and whatever else says that it does not take what was asked. */
  refused: 'GATEWAY_REFUSED',
  /** 401. */
  keyRefused: 'GATEWAY_KEY_REFUSED',
  /** 403. */
  forbidden: 'GATEWAY_FORBIDDEN',
  /** 404. */
  notFound: 'GATEWAY_NOT_FOUND',
  /** 406: the contract refused the message. */
  notAccepted: 'GATEWAY_NOT_ACCEPTED',
  /** 429. */
  rateLimited: 'GATEWAY_RATE_LIMITED',
  /** 5xx. */
  failed: 'GATEWAY_FAILED',
  /** It answered, but not as documented. */
  badAnswer: 'GATEWAY_BAD_ANSWER',
} as const
