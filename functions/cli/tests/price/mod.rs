mod attack;
mod capacity;
mod documents;
