/**
 * Error codes of the bridge, the local socket and the command line. Scripts use them, so a code is
 * never renamed. The bridge's own codes are in `app-error.ts`.
 */

export const alertCodes = {
  unknown: 'ALERT_DESTINATION_UNKNOWN',
  programUnconfirmed: 'ALERT_PROGRAM_UNCONFIRMED',
} as const

export const responseRuleCodes = {
  unknown: 'ANSWER_RULE_UNKNOWN',
  tooMany: 'ANSWER_RULES_TOO_MANY',
} as const

export const appCodes = {
  dataDirectoryHeld: 'DATA_DIRECTORY_HELD',
  databaseTooNew: 'DATABASE_TOO_NEW',
  databaseUnwritable: 'DATABASE_UNWRITABLE',
  backupInvalid: 'BACKUP_INVALID',
  startStopped: 'START_STOPPED',
  diskFull: 'DISK_FULL',
  dataDamaged: 'DATA_DAMAGED',
  windowsTooMany: 'WINDOWS_TOO_MANY',
  printFailed: 'PRINT_FAILED',
} as const

export const captureQueryCodes = {
  /** The message describes the first problem; `captureQuery.read` returns all problems with their positions. */
  invalid: 'QUERY_INVALID',
  viewUnknown: 'CAPTURE_VIEW_UNKNOWN',
  viewsFull: 'CAPTURE_VIEWS_FULL',
} as const

export const captureCodes = {
  notFound: 'CAPTURE_NOT_FOUND',
  tooLarge: 'CAPTURE_TOO_LARGE',
  searchUnavailable: 'SEARCH_UNAVAILABLE',
} as const

export const chainCodes = {
  notFound: 'CHAIN_NOT_FOUND',
  ambiguous: 'CHAIN_AMBIGUOUS',
  badHash: 'CHAIN_BAD_HASH',
  badAddress: 'CHAIN_BAD_ADDRESS',
  badBoc: 'CHAIN_BAD_BOC',
  badArgument: 'CHAIN_BAD_ARGUMENT',
  badDictionary: 'CHAIN_BAD_DICTIONARY',
  wrongAnswer: 'CHAIN_WRONG_ANSWER',
  /** A link, a host or a file that is not allowed, or a picture that could not be loaded. */
  pictureRefused: 'PICTURE_REFUSED',
} as const

export const desktopCodes = {
  /** The route needs the installed app; Tondesk runs in browser mode. */
  unavailable: 'DESKTOP_UNAVAILABLE',
  startAtLogin: 'START_AT_LOGIN_REFUSED',
} as const

export const captureFileCodes = {
  unknown: 'EXCHANGE_UNKNOWN',
  nothing: 'EXCHANGE_NOTHING',
  badFile: 'EXCHANGE_BAD_FILE',
  unwritable: 'EXCHANGE_UNWRITABLE',
  /** The programming language cannot send this request, such as a GET with a body by fetch. */
  cannotSend: 'EXCHANGE_CANNOT_SEND',
  tooMany: 'EXCHANGE_TOO_MANY',
  tooLarge: 'EXCHANGE_TOO_LARGE',
} as const

export const failureCodes = { accountUnknown: 'FAILURE_ACCOUNT_UNKNOWN' } as const

export const fileCodes = { unreadable: 'FILE_UNREADABLE' } as const

export const forwardCodes = {
  ruleUnknown: 'FORWARD_RULE_UNKNOWN',
  deliveryUnknown: 'FORWARD_DELIVERY_UNKNOWN',
} as const

/**
 * Failures of requests to a real or sandbox gateway. `data.status` is the HTTP status, if any:
 * keyRefused is 401, forbidden 403, notFound 404, rateLimited 429, failed 5xx.
 */
export const gatewayCodes = {
  unreachable: 'GATEWAY_UNREACHABLE',
  timeout: 'GATEWAY_TIMEOUT',
  /** Status 400, 409, 422 or another refusal by the gateway. */
  refused: 'GATEWAY_REFUSED',
  keyRefused: 'GATEWAY_KEY_REFUSED',
  forbidden: 'GATEWAY_FORBIDDEN',
  notFound: 'GATEWAY_NOT_FOUND',
  /** Status 406: the contract refused the message. */
  notAccepted: 'GATEWAY_NOT_ACCEPTED',
  rateLimited: 'GATEWAY_RATE_LIMITED',
  failed: 'GATEWAY_FAILED',
  badAnswer: 'GATEWAY_BAD_ANSWER',
} as const

export const historyExportCodes = {
  unknown: 'HISTORY_EXPORT_UNKNOWN',
  period: 'HISTORY_EXPORT_PERIOD',
} as const

export const watchCodes = {
  unknown: 'WATCH_UNKNOWN',
  tooMany: 'WATCH_TOO_MANY',
  badRule: 'WATCH_BAD_RULE',
} as const

export const incidentCodes = { unknown: 'INCIDENT_UNKNOWN' } as const

export const invoiceAccessCodes = {
  notHere: 'INVOICE_ACCESS_NOT_HERE',
  notYet: 'INVOICE_ACCESS_NOT_YET',
} as const

export const invoiceExportCodes = {
  unknown: 'INVOICE_EXPORT_UNKNOWN',
  unwritable: 'INVOICE_EXPORT_UNWRITABLE',
  zone: 'INVOICE_EXPORT_ZONE',
  /** A PDF contains at most 10,000 rows. */
  tooManyRows: 'INVOICE_EXPORT_TOO_MANY_ROWS',
  sameNames: 'INVOICE_EXPORT_SAME_NAMES',
  viewUnknown: 'EXPORT_VIEW_UNKNOWN',
} as const

export const reportCodes = {
  logoInvalid: 'REPORT_LOGO_INVALID',
  folder: 'REPORT_FOLDER',
} as const

export const invoiceJobCodes = {
  draftUnknown: 'INVOICE_DRAFT_UNKNOWN',
  draftEmpty: 'INVOICE_DRAFT_EMPTY',
  draftIssued: 'INVOICE_DRAFT_ISSUED',
  jobUnknown: 'INVOICE_JOB_UNKNOWN',
  notNow: 'INVOICE_JOB_NOT_NOW',
  noneToCancel: 'INVOICE_NONE_TO_CANCEL',
} as const

export const invoiceStatsCodes = {
  zoneUnknown: 'INVOICE_ZONE_UNKNOWN',
  tooManySteps: 'INVOICE_TOO_MANY_STEPS',
} as const

export const invoiceCodes = {
  unknown: 'INVOICE_UNKNOWN',
  viewUnknown: 'INVOICE_VIEW_UNKNOWN',
  noAccess: 'INVOICE_NO_ACCESS',
  unreadable: 'INVOICES_UNREADABLE',
} as const

export const missedEventCodes = {
  unknown: 'LEDGER_CHECK_UNKNOWN',
  noAccounts: 'LEDGER_NO_ACCOUNTS',
  notNow: 'LEDGER_NOT_NOW',
} as const

export const lookupCodes = {
  draftUnknown: 'LOOKUP_DRAFT_UNKNOWN',
  jettonRefused: 'LOOKUP_JETTON_REFUSED',
  jobUnknown: 'LOOKUP_JOB_UNKNOWN',
  nameUnknown: 'LOOKUP_NAME_UNKNOWN',
  nothingValid: 'LOOKUP_NOTHING_VALID',
  taskEnded: 'LOOKUP_TASK_ENDED',
  exportUnknown: 'EXPORT_UNKNOWN',
  exportUnwritable: 'EXPORT_UNWRITABLE',
} as const

export const discrepancyCodes = { unknown: 'MATTER_UNKNOWN', noRefund: 'MATTER_NO_REFUND' } as const

export const networkCodes = {
  unknown: 'NETWORK_UNKNOWN',
  unavailable: 'NETWORK_UNAVAILABLE',
  /** The key is a sandbox key for a real network, or the reverse. */
  wrongKind: 'NETWORK_KEY_OF_ANOTHER',
  /** The request was cancelled because another network was selected. */
  switched: 'NETWORK_SWITCHED',
} as const

export const paymentCodes = {
  unknown: 'PAYMENT_UNKNOWN',
  otherCurrency: 'PAYMENT_OTHER_CURRENCY',
} as const

export const receiverCodes = { portTaken: 'PORT_TAKEN', listenFailed: 'LISTEN_FAILED' } as const

export const replayCodes = {
  unknown: 'REPLAY_UNKNOWN',
  nothing: 'REPLAY_NOTHING',
  tooMany: 'REPLAY_TOO_MANY',
  badEdit: 'REPLAY_BAD_EDIT',
  unlike: 'REPLAY_UNLIKE',
} as const

export const sandboxCodes = {
  notRunning: 'SANDBOX_NOT_RUNNING',
  clipboardUnavailable: 'CLIPBOARD_UNAVAILABLE',
  stepNotYet: 'SANDBOX_STEP_NOT_YET',
} as const

export const secretCodes = { unavailable: 'SECRETS_UNAVAILABLE' } as const

export const subscriptionCodes = {
  changeUnknown: 'CHANGE_UNKNOWN',
  changeNotNow: 'CHANGE_NOT_NOW',
  nothingToChange: 'CHANGE_EMPTY',
  planUnknown: 'PLAN_UNKNOWN',
  /** `data.line` and `data.column` are set if known. */
  fileInvalid: 'PLAN_FILE_INVALID',
  planRefused: 'PLAN_REFUSED',
  moving: 'SUBSCRIPTIONS_MOVING',
} as const

export const targetCodes = {
  /** The target is Tondesk's own port, a link-local or private address, or has another scheme. */
  refused: 'TARGET_REFUSED',
  unconfirmed: 'TARGET_UNCONFIRMED',
  unresolved: 'TARGET_UNRESOLVED',
} as const

export const tunnelCodes = {
  noUrl: 'TUNNEL_NO_URL',
  notListening: 'TUNNEL_NOT_LISTENING',
  notFound: 'TUNNEL_NOT_FOUND',
} as const

export const webhookCodes = {
  unknown: 'WEBHOOK_UNKNOWN',
  endpointDiffers: 'WEBHOOK_ENDPOINT_DIFFERS',
  tokenUnknown: 'WEBHOOK_TOKEN_UNKNOWN',
  moveUnknown: 'WEBHOOK_MOVE_UNKNOWN',
  moveUnderWay: 'WEBHOOK_MOVE_UNDER_WAY',
  /** The move can no longer be rolled back, or cannot be resumed. */
  moveNotNow: 'WEBHOOK_MOVE_NOT_NOW',
} as const
