/** Types of files that the system opens with Tondesk, and purposes of its file dialogs. */

export const captureExtensions = ['.har', '.jsonl', '.ndjson']
export const subscriptionExtensions = ['.yaml', '.yml', '.csv', '.tsv']
export const openableExtensions = [...captureExtensions, ...subscriptionExtensions]

/** Dialogs for the same purpose open in the folder that was chosen last. */
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
