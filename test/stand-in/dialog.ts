/**
 * Plays Electron's `dialog`: dialogs are recorded and closed by the test; without a test, they are
 * cancelled.
 */
import type {
  BaseWindow,
  Dialog,
  MessageBoxOptions,
  MessageBoxReturnValue,
  OpenDialogReturnValue,
  SaveDialogReturnValue,
} from 'electron'
import { recordedActions, reportToTest } from './report.ts'

const open: ((button: number) => void)[] = []

function showMessageBox(
  first: BaseWindow | MessageBoxOptions,
  second?: MessageBoxOptions,
): Promise<MessageBoxReturnValue> {
  const options = second ?? (first as MessageBoxOptions)
  const { type, message, detail, buttons, cancelId = 0 } = options
  const record = {
    ...(type ? { type } : {}),
    ...(detail === undefined ? {} : { detail }),
    ...(buttons ? { buttons } : {}),
    message,
    isErrorBox: false,
  }
  recordedActions.dialogs.push(record)
  return new Promise((resolve) => {
    const answer = (response: number) => resolve({ response, checkboxChecked: false })
    if (!process.send) {
      process.stderr.write(`[dialog] ${message}\n${detail ?? ''}\n`)
      answer(cancelId)
      return
    }
    open.push(answer)
    options.signal?.addEventListener('abort', () => {
      const index = open.indexOf(answer)
      if (index >= 0) open.splice(index, 1)
      answer(cancelId)
    })
    reportToTest({ event: 'dialog', dialog: record })
  })
}

export const dialog = {
  showMessageBox,
  // A story replaces these two functions by its own; without one, the dialog is cancelled.
  showOpenDialog: (): Promise<OpenDialogReturnValue> =>
    Promise.resolve({ canceled: true, filePaths: [] }),
  showSaveDialog: (): Promise<SaveDialogReturnValue> =>
    Promise.resolve({ canceled: true, filePath: '' }),
  showErrorBox(title, content) {
    const record = { message: title, detail: content, isErrorBox: true }
    recordedActions.dialogs.push(record)
    process.stderr.write(`[error box] ${title}\n${content}\n`)
    reportToTest({ event: 'dialog', dialog: record })
  },
} satisfies Pick<Dialog, 'showMessageBox' | 'showErrorBox' | 'showOpenDialog' | 'showSaveDialog'>

export function chooseInDialog(button: number): void {
  const answer = open.shift()
  if (!answer) throw new Error('No dialog is open.')
  answer(button)
}
