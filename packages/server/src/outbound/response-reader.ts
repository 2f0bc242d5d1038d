/**
 * Reads the response to one POST as far as a delivery needs it: the status, a few headers, and where the response ends.
 * The body is discarded. A head that breaks the grammar of HTTP/1.1 is read as far as its status is clear, as curl
 * reads it, but its connection is not used again: where such a response ends is ambiguous, and what follows it
 * could pass for the response to another webhook's delivery.
 */

/** The parts of a response that a delivery needs. */
export type Response = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** For how many seconds the server wants no more requests, as Discord and others say before they refuse one. */
  readonly pauseSec: string | undefined;
  /** Whether a limit is that of all requests from this address together, as Discord's 429 says. */
  readonly isGlobalLimit: boolean;
};

/** What was received is not an HTTP/1.1 response. */
export class BadResponse extends Error {
  override readonly name = 'BadResponse';
}

const maxHeadBytes = 65_536;
const maxBodyBytes = 16_384;
/** The most responses of status 1xx that are read before the one that counts. */
const maxInformational = 16;

const protocol = 'HTTP/1.';
const statusLine = /^HTTP\/1\.([01]) +([1-9]\d\d)(?: (.*))?$/;
/** RFC 9112, 5: a token, a colon, a value without control characters. */
const headerLine = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** RFC 9112, 7.1: a size and perhaps extensions. */
const chunkSize = /^([\da-f]{1,8})[\t ]*(?:;.*)?$/i;

export class ResponseReader {
  #read: (line: string) => void = (line) => this.#readStatus(line);
  #line = '';
  #headBytes = 0;
  #informational = 0;
  #head = new Head();
  /** How many bytes of a body, or of a chunk, are still to come, unless a line is read. */
  #remaining: number | undefined;
  #bodyBytes = 0;
  #hasBegun = false;
  #isEnded = false;
  #isReusable = false;
  #response: Response | undefined;

  /** The response, once its head is complete. */
  get response(): Response | undefined {
    return this.#response;
  }
  /** Whether any byte was received. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }
  /** Whether reading is complete. */
  get isEnded(): boolean {
    return this.#isEnded;
  }
  /** Whether another request may follow on the connection. */
  get isReusable(): boolean {
    return this.#isReusable;
  }
  /** Whether the server said that it closes the connection. */
  get isLast(): boolean {
    return !this.#head.isPersistent;
  }
  /** How long the server keeps the connection, in seconds, if it says so. */
  get keepAliveSec(): number | undefined {
    const [, seconds] = /(?:^|[,;\s])timeout\s*=\s*(\d{1,9})/i.exec(this.#head.keepAlive) ?? [];
    return seconds === undefined ? undefined : Number(seconds);
  }

  /** Reads what was received. Throws BadResponse. */
  push(bytes: Buffer): void {
    this.#hasBegun = true;
    let at = 0;
    while (at < bytes.length) {
      // More than the response: nobody knows what it belongs to.
      if (this.#isEnded) this.#isReusable = false;
      if (this.#isEnded) return;
      at = this.#remaining === undefined ? this.#pushLine(bytes, at) : this.#pushBody(bytes.length, at);
    }
  }

  #pushLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end;
    this.#headBytes += to + 1 - from;
    if (this.#headBytes > maxHeadBytes) {
      // Once there is a status, this only means that the end cannot be found.
      if (this.#response === undefined) throw new BadResponse(`the head is longer than ${maxHeadBytes} bytes`);
      this.#end(false);
      return to;
    }
    this.#line += bytes.toString('latin1', from, to);
    if (this.#head.status === 0 && !this.#line.startsWith(protocol.slice(0, this.#line.length)))
      throw new BadResponse('it is not HTTP/1.1');
    if (end === -1) return to;
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r')) this.#head.isStrict = false;
    this.#read(line.endsWith('\r') ? line.slice(0, -1) : line);
    return end + 1;
  }

  #pushBody(length: number, from: number): number {
    const taken = Math.min(length - from, this.#remaining ?? 0);
    this.#bodyBytes += taken;
    this.#remaining = (this.#remaining ?? 0) - taken;
    if (this.#bodyBytes > maxBodyBytes) this.#end(false);
    else if (this.#remaining === 0) this.#afterBody();
    return from + taken;
  }

  #readStatus(line: string): void {
    const [, minor, status] = statusLine.exec(line) ?? [];
    if (status === undefined) throw new BadResponse('it has no status');
    this.#head.status = Number(status);
    this.#head.isPersistent = minor === '1';
    this.#read = (next) => this.#readHeader(next);
  }

  #readHeader(line: string): void {
    if (line !== '') return this.#head.add(line);
    const head = this.#head;
    if (head.status >= 200 || head.status === 101) return this.#readBody(head);
    this.#informational += 1;
    if (this.#informational > maxInformational) throw new BadResponse('too many informational responses');
    this.#head = new Head();
    this.#read = (next) => this.#readStatus(next);
  }

  /** RFC 9112, 6.3: how the end of the body is found. */
  #readBody(head: Head): void {
    this.#response = {
      status: head.status,
      retryAfter: head.retryAfter,
      location: head.location,
      pauseSec: head.pauseSec,
      isGlobalLimit: head.isGlobalLimit,
    };
    if (head.status === 101) return this.#end(false);
    // They have no body. A server that announces one may send it, and what follows could not be distinguished from it.
    if (head.status === 204 || head.status === 205 || head.status === 304)
      return this.#end(!head.isChunked && (head.length ?? 0) === 0);
    if (head.isChunked) this.#read = (line) => this.#readChunkSize(line);
    else if (head.length === 0) this.#end(true);
    else this.#remaining = head.length ?? Infinity;
  }

  #readChunkSize(line: string): void {
    const [, size] = chunkSize.exec(line) ?? [];
    this.#headBytes = 0;
    if (size === undefined) this.#end(false);
    else if (Number.parseInt(size, 16) > 0) this.#remaining = Number.parseInt(size, 16);
    else this.#read = (trailer) => (trailer === '' ? this.#end(true) : undefined);
  }

  #afterBody(): void {
    if (!this.#head.isChunked) return this.#end(true);
    this.#remaining = undefined;
    this.#read = (line) => {
      if (line !== '') return this.#end(false);
      this.#read = (next) => this.#readChunkSize(next);
    };
  }

  #end(isWhole: boolean): void {
    this.#isEnded = true;
    this.#remaining = undefined;
    this.#isReusable = isWhole && this.#head.isPersistent && this.#head.isStrict;
  }
}

/** The headers that matter. */
class Head {
  status = 0;
  retryAfter: string | undefined;
  location: string | undefined;
  keepAlive = '';
  /** The length of the body, if there is one on which all headers agree. */
  length: number | undefined;
  isChunked = false;
  isPersistent = false;
  isGlobalLimit = false;
  /** Whether all of it follows RFC 9112. */
  isStrict = true;
  #hasLength = false;
  #remaining = '';
  #resetAfter: string | undefined;

  get pauseSec(): string | undefined {
    return this.#remaining === '0' ? this.#resetAfter : undefined;
  }

  add(line: string): void {
    const [, name = '', value = ''] = headerLine.exec(line) ?? this.#readLeniently(line);
    // Most headers are none of these, and their names need not be compared.
    if (name.length < 8 || name.length > 23) return;
    const text = value.trim();
    switch (name.toLowerCase()) {
      case 'retry-after':
        this.retryAfter ??= text;
        return;
      case 'location':
        this.location ??= text;
        return;
      case 'x-ratelimit-remaining':
        this.#remaining = text;
        return;
      case 'x-ratelimit-reset-after':
        this.#resetAfter = text;
        return;
      case 'x-ratelimit-global':
        this.isGlobalLimit ||= text === 'true';
        return;
      case 'x-ratelimit-scope':
        this.isGlobalLimit ||= text === 'global';
        return;
      case 'keep-alive':
        this.keepAlive = text;
        return;
      case 'connection':
        this.#addConnection(text.toLowerCase());
        return;
      case 'content-length':
        this.#addLength(text);
        return;
      case 'transfer-encoding':
        this.#addEncoding(text.toLowerCase());
    }
  }

  /** A folded line, a name followed by white space, a control character, or a line without a colon. */
  #readLeniently(line: string): RegExpExecArray | [] {
    this.isStrict = false;
    return /^([^\s:]+)\s*:(.*)$/.exec(line) ?? [];
  }

  #addConnection(options: string): void {
    if (/(?:^|[\s,])close(?:$|[\s,])/.test(options)) this.isPersistent = false;
    else if (/(?:^|[\s,])keep-alive(?:$|[\s,])/.test(options)) this.isPersistent = true;
  }

  #addLength(text: string): void {
    const lengths = new Set(text.split(',').map((part) => part.trim()));
    const [length = ''] = lengths;
    const isKnown = lengths.size === 1 && /^\d{1,15}$/.test(length);
    if (this.#hasLength || text !== length) this.isStrict = false;
    if (this.isChunked || !isKnown || (this.#hasLength && this.length !== Number(length))) this.#distrust();
    else this.length = Number(length);
    this.#hasLength = true;
  }

  #addEncoding(coding: string): void {
    if (coding !== 'chunked' || this.#hasLength || this.isChunked) this.#distrust();
    this.isChunked ||= coding === 'chunked' && !this.#hasLength;
  }

  /** Records that the end of the body is not known. */
  #distrust(): void {
    this.isStrict = false;
    this.length = undefined;
  }
}
