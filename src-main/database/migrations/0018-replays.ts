/**
 * Replays of captures, and the responses. Moments are microseconds.
 *
 * - replay_jobs: options is JSON (store/replays/replay-jobs.ts). newest_id: captures after it are not
 *   part of the job, however long it runs. request, request_body: the one request of an edited replay,
 *   head as JSON; the body comes last, since it may be large.
 *   next_index, round, key, copy: the first sending that is not finished, and where its capture stands
 *   in what is enumerated. begun: sendings before this index may have reached the target.
 *   planned: how many captures its plan holds, once that is whole; null while it needs none, or still
 *   has to be made.
 * - replay_plans: captures in the order in which they are sent, where a query and a cursor cannot define
 *   it; places is doubles, id and moment of arrival in turn.
 * - replay_sendings: id is the job's times 2^24 plus the index, so that a sending that is repeated
 *   takes the place of the one before, and the newest are those with the highest ids.
 *   headers: names and values in turn, joined by line feeds. is_ok: the response was 2xx.
 */
export const replays = `
  CREATE TABLE replay_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    target TEXT NOT NULL,
    subject TEXT NOT NULL,
    options TEXT NOT NULL,
    newest_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    state TEXT NOT NULL,
    problem TEXT,
    remarks TEXT NOT NULL DEFAULT '[]',
    total INTEGER NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    seed INTEGER,
    next_index INTEGER NOT NULL DEFAULT 0,
    round INTEGER NOT NULL DEFAULT 0,
    key INTEGER NOT NULL DEFAULT 0,
    copy INTEGER NOT NULL DEFAULT 0,
    begun INTEGER NOT NULL DEFAULT 0,
    planned INTEGER,
    request TEXT,
    request_body BLOB
  ) STRICT;

  CREATE TABLE replay_plans (
    job_id INTEGER NOT NULL,
    part INTEGER NOT NULL,
    places BLOB NOT NULL,
    PRIMARY KEY (job_id, part)
  ) STRICT;

  CREATE TABLE replay_sendings (
    id INTEGER PRIMARY KEY,
    capture_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    is_ok INTEGER NOT NULL,
    is_again INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    problem TEXT,
    body_bytes INTEGER NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX replay_sendings_of_capture ON replay_sendings (capture_id, at);
  CREATE INDEX replay_sendings_failed ON replay_sendings (id) WHERE is_ok = 0;
`
