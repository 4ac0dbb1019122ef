import type { MessageBoxOptions } from 'electron'
import type { Tondesk } from '../fixture.ts'
import type { MainProcess } from '../hosts/host.ts'

declare global {
  /**
   * Variables of the main process: the dialogs since `holdDialogs`, and the function that closes
   * the last one.
   */
  var heldDialogs: { message: string; detail: string; buttons: string[] }[]
  var answerDialog: ((button: number) => void) | undefined
  /** A variable of the main process: the addresses that would have been opened outside the app. */
  var openedOutside: string[]
}

/** For stories of Electron’s own behavior, which run on the stand-in and on the real Electron. */
export function mainProcess({ running }: Tondesk): MainProcess {
  if (!running.mainProcess) throw new Error('This test needs a main process of Electron.')
  return running.mainProcess
}

/** Makes dialogs wait for `answer` instead of the user. */
export async function holdDialogs(tondesk: Tondesk) {
  const main = mainProcess(tondesk)
  await main.evaluate(({ dialog }) => {
    globalThis.heldDialogs = []
    const hold = (...args: unknown[]) => {
      // A dialog's arguments may begin with its parent window.
      const { message, detail = '', buttons = [] } = args.at(-1) as MessageBoxOptions
      globalThis.heldDialogs.push({ message, detail, buttons })
      return new Promise((resolve) => {
        globalThis.answerDialog = (response) => resolve({ response, checkboxChecked: false })
      })
    }
    Object.assign(dialog, { showMessageBox: hold })
  })
  return {
    shown: () => main.evaluate(() => globalThis.heldDialogs),
    answer: (button: number) =>
      main.evaluate((_electron, chosen) => globalThis.answerDialog?.(chosen), button),
  }
}

/** Records addresses instead of opening them. Resolves with a function that returns them. */
export async function recordOpened(tondesk: Tondesk): Promise<() => Promise<string[]>> {
  const main = mainProcess(tondesk)
  await main.evaluate(({ shell }) => {
    globalThis.openedOutside = []
    const record = (address: string) => {
      globalThis.openedOutside.push(address)
      return Promise.resolve('')
    }
    Object.assign(shell, { openExternal: record, openPath: record })
  })
  return () => main.evaluate(() => globalThis.openedOutside)
}
