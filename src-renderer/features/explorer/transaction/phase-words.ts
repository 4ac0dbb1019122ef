const types: Readonly<Record<string, string>> = {
  TransOrd: 'ordinary',
  TransTickTock: 'tick-tock, by the network itself',
  TransSplitPrepare: 'split, prepared',
  TransSplitInstall: 'split, installed',
  TransMergePrepare: 'merge, prepared',
  TransMergeInstall: 'merge, installed',
  TransStorage: 'storage only',
}

/** The gateway's name of a transaction's kind in words; one that is not known stays as it is. */
export function typeWords(type: string): string {
  return types[type] ?? type
}

/** `active`, or `uninit → active` where the transaction changed it. */
export function statusWords(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`
}

/** `acst_unchanged` of the gateway as `unchanged`. */
export function changeWords(change: string): string {
  return change.replace(/^acst_/, '')
}

/** `0: success`, `37: not enough TON`; the code alone where no words are known. */
export function codeWords(code: number, words: string | null): string {
  if (words !== null) return `${code}: ${words}`
  return code === 0 || code === 1 ? `${code}: success` : String(code)
}
