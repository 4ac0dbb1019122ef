const computeResults: ReadonlyMap<number, string> = new Map([
  [0, 'Ok'],
  [1, 'Ok'],
  [2, 'Stack underflow'],
  [3, 'Stack overflow'],
  [4, 'Integer overflow or division by zero'],
  [5, 'Integer out of expected range'],
  [6, 'Invalid opcode'],
  [7, 'Type check error'],
  [8, 'Cell overflow'],
  [9, 'Cell underflow'],
  [10, 'Dictionary error'],
  [11, 'Unknown error'],
  [12, 'Impossible situation error'],
  [13, 'Out of gas error'],
  [-14, 'Out of gas error'],
  [14, 'Virtualization error'],
])

const actionResults: ReadonlyMap<number, string> = new Map([
  [-32, 'Method ID not found'],
  [32, 'Invalid action list format'],
  [33, 'Action list too long'],
  [34, 'Unsupported action'],
  [35, 'Invalid Source address'],
  [36, 'Invalid Destination address'],
  [37, 'Insufficient Gram'],
  [38, 'Insufficient extra-currencies'],
  [39, 'Outbound message does not fit into a cell'],
  [40, 'Insufficient funds'],
  [41, 'Library reference is null'],
  [42, 'Library change error'],
  [43, 'Maximum cells/tree depth exceeded'],
  [50, 'Account state size exceeded limits'],
])

/** Describes an exit code of the compute phase; null for a code that the contract defines. */
export function describeExitCode(code: number): string | null {
  return computeResults.get(code) ?? null
}

/** Describes a result code of the action phase; null for 0 and for undocumented codes. */
export function describeActionResult(code: number): string | null {
  return actionResults.get(code) ?? null
}
