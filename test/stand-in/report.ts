/** Defines the messages between the test and the stand-in, and the record of events that tests read. */
import type { MenuItemConstructorOptions, MessageBoxOptions } from 'electron'

export type DialogRecord = Pick<MessageBoxOptions, 'type' | 'message' | 'detail' | 'buttons'> & {
  /** True for an error box, which has no choice to wait for. */
  readonly isErrorBox: boolean
}

type NotificationRecord = Readonly<Record<'id' | 'groupId' | 'title' | 'body', string>> & {
  /** The texts of its buttons. */
  readonly actions: readonly string[]
}

type WindowReport = {
  readonly id: number
  readonly url: string
  readonly title: string
  readonly visible: boolean
  readonly focused: boolean
  readonly maximized: boolean
  readonly backgroundColor: string
  readonly bounds: { x: number; y: number; width: number; height: number }
  readonly webPreferences: Readonly<Record<string, unknown>>
}

type MenuReport = {
  readonly label?: string | undefined
  readonly role?: string | undefined
  readonly submenu?: readonly MenuReport[]
}

export type Report = {
  readonly windows: readonly WindowReport[]
  readonly dialogs: readonly DialogRecord[]
  /** Addresses that were passed to the system's browser. */
  readonly opened: readonly string[]
  /** Requests of a page to another address than the app's. All of them were refused. */
  readonly strayRequests: readonly string[]
  /** The text that the main process itself has copied to the clipboard; null if there is none. */
  readonly written: string | null
  /** The notifications in the order in which they would have been shown. */
  readonly notifications: readonly NotificationRecord[]
  readonly menu: readonly MenuReport[]
  readonly themeSource: string
  readonly sandboxEnabled: boolean
  readonly schemes: readonly string[]
}

/** The commands of a test, with their results. */
export type Commands = {
  report: { input: null; output: Report }
  quit: { input: null; output: null }
  /** Presses a button of the oldest open dialog. */
  answerDialog: { input: { button: number }; output: null }
  askPermission: {
    input: { permission: string; url: string; isMainFrame: boolean; ownWindow: boolean }
    output: { check: boolean; request: boolean }
  }
  /** Sends a request as another frame than the window's own. */
  invokeAs: {
    input: { origin: string; isTop: boolean; ownWindow: boolean; name: string }
    output: unknown
  }
  /** Clicks the newest notification, or one of its buttons. */
  clickNotification: { input: { action: number | null }; output: null }
  /** Calls a function, which is given as source, with the module `electron` and the argument. */
  evaluate: { input: { source: string; arg: unknown }; output: unknown }
  /** Reads the text on the clipboard, regardless of the page's permissions. */
  readClipboard: { input: null; output: string }
}
export type CommandName = keyof Commands

export type ToStandIn = { id: number; command: CommandName; input: unknown }
export type FromStandIn =
  | { event: 'window'; endpoint: string; targetId: string }
  | { event: 'dialog'; dialog: DialogRecord }
  /** A console error or an uncaught error of a page, including a violation of the Content-Security-Policy. */
  | { event: 'problem'; text: string }
  | { event: 'relaunch'; args: readonly string[] }
  | { event: 'answer'; id: number; ok: boolean; output?: unknown; message?: string }

const dialogs: DialogRecord[] = []
const opened: string[] = []
const strayRequests: string[] = []
const notifications: NotificationRecord[] = []
let menu: readonly MenuReport[] = []

/** Everything recorded, in order. */
export const recordedActions = {
  dialogs,
  opened,
  strayRequests,
  notifications,
  /** The text that the main process itself has copied to the clipboard; null if there is none. */
  written: null as string | null,
  get menu() {
    return menu
  },
  setMenu(template: readonly MenuItemConstructorOptions[]) {
    menu = template.map(reportItem)
  },
}

function reportItem({ label, role, submenu }: MenuItemConstructorOptions): MenuReport {
  return {
    label,
    role,
    ...(Array.isArray(submenu) ? { submenu: submenu.map(reportItem) } : {}),
  }
}

/** Sends a message to the test, if one started this process. */
export function reportToTest(message: FromStandIn): void {
  process.send?.(message)
}
