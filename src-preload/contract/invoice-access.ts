import { z } from 'zod'
import { storedSecret, networkId, onNetwork } from './network.ts'
import { takes, addressText } from './route.ts'

const invoiceAccessStep = z.object({
  id: z.enum(['account', 'project', 'granted', 'application', 'token', 'webhook']),
  /**
   * `waiting`: waits for the operator. `blocked`: an earlier step is open. `unknown`: Tondesk
   * cannot determine the state.
   */
  state: z.enum(['done', 'open', 'waiting', 'blocked', 'unknown']),
  title: z.string(),
  text: z.string(),
  /** False if the user does the step in the console and ticks it here. */
  canDo: z.boolean(),
})
export type InvoiceAccessStep = z.infer<typeof invoiceAccessStep>

const invoiceApplication = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  recipient: z.string(),
  createdAt: z.int(),
  webhooks: z.array(z.object({ id: z.string(), url: z.string(), isHere: z.boolean() })),
})
export type InvoiceApplication = z.infer<typeof invoiceApplication>

const invoiceAccess = z.object({
  network: networkId,
  steps: z.array(invoiceAccessStep),
  application: invoiceApplication.nullable(),
  appId: z.string().nullable(),
  projectId: z.string().nullable(),
  token: storedSecret.nullable(),
  /**
   * True if the token may register, change and rotate the application; otherwise the user does this
   * in the console.
   */
  canManage: z.boolean(),
  receiverUrl: z.string(),
  problem: z.string().nullable(),
})
export type InvoiceAccess = z.infer<typeof invoiceAccess>

const digits = z
  .string()
  .trim()
  .regex(/^\d{1,19}$/, 'Enter a whole number, as the console shows it.')

export const invoiceAccessRoutes = {
  'invoiceAccess.read': takes(onNetwork).returns(invoiceAccess),
  /**
   * Performs one of the first three steps on the sandbox; on other networks sets or clears the
   * user's tick.
   */
  'invoiceAccess.setStep': takes({
    ...onNetwork,
    step: z.enum(['account', 'project', 'granted']),
    done: z.boolean(),
  }).returns(invoiceAccess),
  'invoiceAccess.setIds': takes({
    ...onNetwork,
    appId: digits.nullable(),
    projectId: digits.nullable(),
  }).returns(invoiceAccess),
  'invoiceAccess.setApplication': takes({
    ...onNetwork,
    name: z.string().trim().min(3, 'At least 3 characters.').max(64, 'At most 64 characters.'),
    description: z.string().trim().max(255, 'At most 255 characters.').default(''),
    recipient: addressText,
  }).returns(invoiceAccess),
  'invoiceAccess.addWebhook': takes({
    ...onNetwork,
    url: z.url('Enter a full URL.').max(2000),
  }).returns(invoiceAccess),
  'invoiceAccess.removeWebhook': takes({ ...onNetwork, id: z.string() }).returns(invoiceAccess),
  /** The old token stops working immediately; the new one is stored as a secret. */
  'invoiceAccess.rotateToken': takes(onNetwork).returns(invoiceAccess),
  'invoiceAccess.token': takes(onNetwork).returns({ token: z.string() }),
} as const
