"use strict";
// The command as a function: arguments and files in, text and files out. Each call is a program of its own, with fresh
// memory; of WASI it finds what the command asks for: text, a clock, and one folder of files in memory.
const Wasi = (() => {
  const OK = 0, BAD_FILE = 8, EXISTS = 20, NO_SUCH = 44, NOT_SUPPORTED = 58;
  const FOLDER = 3, REGULAR = 4, CHARACTERS = 2; // types of files, and the descriptor of the folder
  const CREATE = 1, EXCLUSIVE = 4, TRUNCATE = 8; // flags of opening
  const decoder = new TextDecoder(), encoder = new TextEncoder();

  class Exit { constructor(code) { this.code = code; } }

  // What a file holds while it grows.
  class Bytes {
    constructor(bytes) { this.room = bytes || new Uint8Array(256); this.size = bytes ? bytes.length : 0; }
    write(at, bytes) {
      const end = at + bytes.length;
      if (end > this.room.length) {
        const room = new Uint8Array(Math.max(end, 2 * this.room.length));
        room.set(this.room.subarray(0, this.size));
        this.room = room;
      }
      this.room.set(bytes, at);
      this.size = Math.max(this.size, end);
    }
    all() { return this.room.subarray(0, this.size); }
  }

  // One run of the program.
  class Run {
    constructor(args, files) {
      this.args = args.map(a => encoder.encode(a + "\0"));
      this.files = new Map(Object.entries(files).map(([name, text]) =>
        [name, new Bytes(typeof text === "string" ? encoder.encode(text) : text)]));
      this.out = [new Bytes(), new Bytes(), new Bytes()]; // of descriptors 0 to 2
      this.open = new Map(); // descriptor -> {file, at}
      this.next = 4;
    }
    get view() { return new DataView(this.memory.buffer); }
    bytes(at, length) { return new Uint8Array(this.memory.buffer, at, length); }
    name(at, length) { return decoder.decode(this.bytes(at, length)).replace(/^(\.?\/)+/, ""); }
    file_of(descriptor) { return descriptor < 3 ? {file: this.out[descriptor], at: this.out[descriptor].size}
                                                : this.open.get(descriptor); }

    args_sizes_get(count, size) {
      this.view.setUint32(count, this.args.length, true);
      this.view.setUint32(size, this.args.reduce((sum, a) => sum + a.length, 0), true);
      return OK;
    }
    args_get(pointers, text) {
      for (const a of this.args) {
        this.view.setUint32(pointers, text, true);
        this.bytes(text, a.length).set(a);
        pointers += 4;
        text += a.length;
      }
      return OK;
    }
    environ_sizes_get(count, size) {
      this.view.setUint32(count, 0, true);
      this.view.setUint32(size, 0, true);
      return OK;
    }
    environ_get() { return OK; }
    clock_time_get(clock, precision, at) {
      this.view.setBigUint64(at, BigInt(Math.round(Date.now() * 1e6)), true);
      return OK;
    }
    poll_oneoff() { return NOT_SUPPORTED; }
    proc_exit(code) { throw new Exit(code); }

    fd_fdstat_get(descriptor, at) {
      const known = descriptor <= FOLDER || this.open.has(descriptor);
      if (!known) return BAD_FILE;
      this.bytes(at, 24).fill(0);
      this.view.setUint8(at, descriptor === FOLDER ? 3 : descriptor < 3 ? CHARACTERS : REGULAR);
      this.view.setBigUint64(at + 8, ~0n & 0x1fffffffn, true);
      this.view.setBigUint64(at + 16, ~0n & 0x1fffffffn, true);
      return OK;
    }
    fd_fdstat_set_flags() { return OK; }
    fd_prestat_get(descriptor, at) {
      if (descriptor !== FOLDER) return BAD_FILE;
      this.view.setUint32(at, 0, true);
      this.view.setUint32(at + 4, 1, true);
      return OK;
    }
    fd_prestat_dir_name(descriptor, at, length) {
      this.bytes(at, length).set(encoder.encode("/").subarray(0, length));
      return OK;
    }
    stat(at, type, size) {
      this.bytes(at, 64).fill(0);
      this.view.setUint8(at + 16, type);
      this.view.setBigUint64(at + 24, 1n, true);
      this.view.setBigUint64(at + 32, BigInt(size), true);
      return OK;
    }
    fd_filestat_get(descriptor, at) {
      if (descriptor === FOLDER) return this.stat(at, 3, 0);
      const open = this.file_of(descriptor);
      return open ? this.stat(at, descriptor < 3 ? CHARACTERS : REGULAR, open.file.size) : BAD_FILE;
    }
    path_filestat_get(folder, flags, path, length, at) {
      const name = this.name(path, length), file = this.files.get(name);
      if (file) return this.stat(at, REGULAR, file.size);
      return name === "" || name === "." ? this.stat(at, 3, 0) : NO_SUCH;
    }
    path_open(folder, lookup, path, length, flags, rights, inheriting, fdflags, at) {
      const name = this.name(path, length);
      let file = this.files.get(name);
      if (file && flags & EXCLUSIVE) return EXISTS;
      if (!file && !(flags & CREATE)) return NO_SUCH;
      if (!file) this.files.set(name, file = new Bytes());
      if (flags & TRUNCATE) file.size = 0;
      this.open.set(this.next, {file, at: 0});
      this.view.setUint32(at, this.next++, true);
      return OK;
    }
    fd_close(descriptor) { return this.open.delete(descriptor) || descriptor < 3 ? OK : BAD_FILE; }
    fd_sync() { return OK; }
    fd_readdir(descriptor, buffer, length, cookie, used) {
      this.view.setUint32(used, 0, true);
      return OK;
    }
    path_create_directory() { return NOT_SUPPORTED; }
    path_readlink() { return 28; } // no link
    path_rename(folder, from, from_length, to_folder, to, to_length) {
      const old = this.name(from, from_length), file = this.files.get(old);
      if (!file) return NO_SUCH;
      this.files.delete(old);
      this.files.set(this.name(to, to_length), file);
      return OK;
    }
    path_unlink_file(folder, path, length) { return this.files.delete(this.name(path, length)) ? OK : NO_SUCH; }

    fd_seek(descriptor, offset, whence, at) {
      const open = this.open.get(descriptor);
      if (!open) return BAD_FILE;
      open.at = Number(offset) + [0, open.at, open.file.size][whence];
      this.view.setBigUint64(at, BigInt(open.at), true);
      return OK;
    }
    // Each of the pieces of memory that reading and writing name.
    * pieces(list, count) {
      for (let i = 0; i < count; i++)
        yield this.bytes(this.view.getUint32(list + 8 * i, true), this.view.getUint32(list + 8 * i + 4, true));
    }
    fd_write(descriptor, list, count, at) {
      const open = this.file_of(descriptor);
      if (!open) return BAD_FILE;
      let written = 0;
      for (const piece of this.pieces(list, count)) {
        open.file.write(open.at, piece);
        open.at += piece.length;
        written += piece.length;
      }
      this.view.setUint32(at, written, true);
      return OK;
    }
    fd_read(descriptor, list, count, at) {
      const open = this.file_of(descriptor);
      if (!open) return BAD_FILE;
      let taken = 0;
      for (const piece of this.pieces(list, count)) {
        const part = open.file.all().subarray(open.at, open.at + piece.length);
        piece.set(part);
        open.at += part.length;
        taken += part.length;
      }
      this.view.setUint32(at, taken, true);
      return OK;
    }
  }

  // What a run asks of its surroundings, bound to it.
  function imports_of(run, names) {
    return Object.fromEntries(names.map(name => [name, (...args) => run[name](...args)]));
  }

  // {code, out, error, files}: exit status, standard output and error as text, and the files that there are then.
  function run(module, args, files = {}) {
    const job = new Run(args, files), names = WebAssembly.Module.imports(module).map(i => i.name);
    const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: imports_of(job, names)});
    let code = 0;
    job.memory = instance.exports.memory;
    try {
      instance.exports._start();
    } catch (e) {
      if (!(e instanceof Exit)) throw e;
      code = e.code;
    }
    const [, out, error] = job.out.map(b => decoder.decode(b.all()));
    return {code, out, error, files: Object.fromEntries([...job.files].map(([name, b]) => [name, b.all()]))};
  }

  return {run};
})();
if (typeof module !== "undefined") module.exports = Wasi;
