//! What a store needs beside its sessions: its outbox, its schedules and who may say what.
