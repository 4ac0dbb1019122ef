/** Files that the system opens with Tondesk, and the folders that its dialogs remember. */

export const captureExtensions = ['.har', '.jsonl', '.ndjson']
export const subscriptionExtensions = ['.yaml', '.yml', '.csv', '.tsv']
export const openableExtensions = [...captureExtensions, ...subscriptionExtensions]

/** Dialogs for files of one purpose open in the folder that the last one chose. */
export const filePurposes = [
  'captures',
  'subscriptions',
  'addresses',
  'invoices',
  'labels',
  'report',
  'backup',
  'other',
] as const
export type FilePurpose = (typeof filePurposes)[number]
