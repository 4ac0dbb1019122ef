/** Enumerates what a query finds, for what is done with all of it: replay, export. */
export type CaptureFinder = {
  /**
   * Ascending, newer than `after`. A page ends early after a bounded time, even with none found.
   * @returns `next`: where to go on; null behind the last
   * @throws AppError QUERY_INVALID
   */
  ids(text: string, after: number, limit: number): Promise<{ ids: number[]; next: number | null }>
  /** @throws AppError QUERY_INVALID */
  count(text: string): Promise<{ count: number; isExact: boolean }>
}
