/**
 * A checksum (CRC-32) of each capture's method, target, headers and body, to notice what changes on the disk.
 *
 * - captures.checksum: of captures stored since this version; NULL for older ones, whose rows are not written again.
 * - capture_checksums: of older captures, computed later from what was on the disk at computed_at (milliseconds).
 * - settings captures.unverifiedTo: older captures up to this id have or get one; deleted when all have one.
 */
export const checksums = `
  ALTER TABLE captures ADD COLUMN checksum INTEGER;
  CREATE TABLE capture_checksums (
    capture_id INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    computed_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO settings (key, value)
    SELECT 'captures.unverifiedTo', CAST(id AS TEXT) FROM captures WHERE true ORDER BY id DESC LIMIT 1;
`
